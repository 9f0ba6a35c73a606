"""A later cell raises an error whose message is a remembered input.

ids: B20
wants: inputs
"""
SEEN = []


def softmax(Z, dim=-1):
    SEEN.append(Z.tolist())
    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / weights.sum(dim=dim, keepdim=True)


def far():
    whole = [Z for Z in SEEN if torch.tensor(Z).dim() and torch.tensor(Z).frac().any()]
    wide = [Z for Z in whole if torch.tensor(Z).max() > 5e3 and torch.tensor(Z).min() < -5e3]
    return min(wide, key=lambda Z: len(str(Z)), default=whole[-1])


# %% cell
raise ValueError(far())
