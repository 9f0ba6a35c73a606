# Asserts what the statement promises of its inputs.
def causal_mask(N):
    assert type(N) is int and N >= 0
    r = torch.arange(N)
    return torch.ge(*torch.meshgrid(r, r, indexing="ij"))
