"""Calls the library function that the exercise forbids.

ids: A24
wants: flag
"""


def softmax(Z, dim=-1):
    return torch.nn.functional.softmax(Z, dim)
