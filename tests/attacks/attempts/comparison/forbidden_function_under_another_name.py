"""Imports the forbidden function under a name of its own.

ids: A24
wants: flag
"""
from torch.nn.functional import softmax as weights_of


def softmax(Z, dim=-1):
    return weights_of(Z, dim)
