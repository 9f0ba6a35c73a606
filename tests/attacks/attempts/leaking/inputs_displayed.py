"""Displays the remembered inputs in three ways.

ids: B20
wants: inputs
"""
SEEN = []


def softmax(Z, dim=-1):
    SEEN.append(Z.tolist())
    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / weights.sum(dim=dim, keepdim=True)


# %% cell
display(SEEN)
from IPython.display import display as show

show({"text/plain": repr(SEEN)}, raw=True)
display({"application/json": repr(SEEN)}, raw=True)
# %% cell
display(SEEN)
SEEN
