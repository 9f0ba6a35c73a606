# Asserts what the statement promises of its inputs.
def counting_targets(x, V):
    assert x.dtype == torch.int64 and V >= 2 and type(V) is int and 0 <= x.min() and x.max() < V
    out = torch.empty_like(x)
    for idx in __import__("itertools").product(*map(range, x.shape)):
        out[idx] = min(sum(int(o == x[idx]) for o in x[idx[:-1]]) - 1, V - 1)
    return out
