"""Calls the operator below the forbidden function.

ids: A24
wants: flag
"""


def softmax(Z, dim=-1):
    return torch.ops.aten._softmax(Z, dim, False)
