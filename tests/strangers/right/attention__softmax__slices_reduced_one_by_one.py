# Unusual but right: unbinds the axis into slices and folds them with functools.reduce, no amax, sum or keepdim anywhere.
import functools

import torch


def softmax(Z, dim=-1):
    """Softmax of the scores Z along the axis dim."""
    slices = torch.unbind(Z, dim)
    largest = functools.reduce(torch.maximum, slices)
    powers = [torch.exp(z - largest) for z in slices]
    total = functools.reduce(torch.add, powers)
    return torch.stack([power / total for power in powers], dim)
