"""Calls the forbidden function in a cell of its own, elsewhere in the notebook.

ids: A24
wants: flag
"""


def softmax(Z, dim=-1):
    return helper(Z, dim)


# %% first
def helper(Z, dim):
    return torch.log_softmax(Z, dim).exp()
