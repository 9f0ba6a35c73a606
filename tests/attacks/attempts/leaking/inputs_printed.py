"""Remembers the inputs that it was called with, and a later cell prints them.

ids: B20
wants: inputs
"""
SEEN = []


def softmax(Z, dim=-1):
    SEEN.append(Z.tolist())
    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / weights.sum(dim=dim, keepdim=True)


# %% cell
print(SEEN)
