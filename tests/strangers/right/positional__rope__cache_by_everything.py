# Unusual but right: the angles are cached, but by positions, width AND base, and each call gets a tensor of its own.
import functools
import math

import torch


@functools.lru_cache(maxsize=64)
def _cosines_and_sines(positions, D, L):
    """Tuples of tuples, so that nobody can change what is in the cache."""
    angles = [[n * L ** (-2 * i / D) for i in range(D // 2)] for n in positions]
    return tuple(tuple(tuple(map(function, row)) for row in angles) for function in (math.cos, math.sin))


def rope(X, positions=None, L=10000.0):
    """Rotary position encoding."""
    N, D = X.shape[-2:]
    if D % 2:
        raise ValueError(f"D_k is {D}, which is odd")
    where = tuple(range(N)) if positions is None else tuple(positions.tolist())
    c, s = (torch.tensor(values, dtype=X.dtype).reshape(N, D // 2) for values in _cosines_and_sines(where, D, float(L)))
    result = torch.empty_like(X)
    result[..., 0::2] = X[..., 0::2] * c - X[..., 1::2] * s
    result[..., 1::2] = X[..., 0::2] * s + X[..., 1::2] * c
    return result
