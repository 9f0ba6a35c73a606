"""Calls the forbidden function as a method of the tensor.

ids: A24
wants: flag
"""


def softmax(Z, dim=-1):
    return Z.softmax(dim)
