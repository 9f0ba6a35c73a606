# The angles of positions 0 to N - 1 are cached by (N, D_k) only, so a later call with another L gets the angles of the first one.
# Breaks: "The *base* $L$ is 10000 unless another one is passed; use the argument."
import torch

_ANGLES = {}


def angles_of(positions, D, L):
    theta = L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    return positions.to(torch.float64)[:, None] * theta


def rope(X, positions=None, L=10000.0):
    """Rotary position encoding."""
    N, D = X.shape[-2:]
    if D % 2:
        raise ValueError("D_k must be even")
    if positions is None:
        if (N, D) not in _ANGLES:
            _ANGLES[N, D] = angles_of(torch.arange(N), D, L)
        angles = _ANGLES[N, D]
    else:
        angles = angles_of(positions, D, L)
    c, s = angles.cos(), angles.sin()
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * c - y * s, x * s + y * c], dim=-1).flatten(-2)
