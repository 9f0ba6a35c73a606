# Unusual but right: Python's own math for the angles, and torch.block_diag to put the blocks together.
import math

import torch


def _block(angle):
    c, s = math.cos(angle), math.sin(angle)
    return torch.tensor([[c, s], [-s, c]], dtype=torch.float64)


def rotation_matrix(k, D, L=10000.0):
    """The matrix R_k that moves sinusoidal encodings on by k positions."""
    pairs, single = divmod(D, 2)
    if single:
        raise ValueError(f"{D} features cannot be split into pairs")
    return torch.block_diag(*(_block(k * L ** (-2 * i / D)) for i in range(pairs)))
