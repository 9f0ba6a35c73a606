"""Gives the module another name first.

ids: A24
wants: flag
"""
library = torch.nn.functional


def softmax(Z, dim=-1):
    return library.softmax(Z, dim)
