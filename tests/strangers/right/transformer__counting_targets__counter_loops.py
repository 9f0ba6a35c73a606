# Counter loops.
from collections import Counter
def counting_targets(x, V):
    def one(row):
        c = Counter(row)
        return [min(c[t] - 1, V - 1) for t in row]
    flat = x.reshape(-1, x.shape[-1])
    return torch.tensor([one(r) for r in flat.tolist()], dtype=torch.int64).reshape(x.shape)
