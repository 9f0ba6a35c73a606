# Unusual but right: queries and keys become complex numbers, turned by exp(i n theta), and a score is the real part of their Hermitian product.
import math
from typing import NamedTuple

import torch


class Attended(NamedTuple):
    Y: torch.Tensor
    alpha: torch.Tensor


def _turned(X, positions, L):
    D = X.shape[-1]
    if D % 2 == 1:
        raise ValueError("an odd D_k cannot be split into pairs")
    theta = L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    angles = positions.double().unsqueeze(-1) * theta
    return torch.complex(X[..., 0::2], X[..., 1::2]) * torch.exp(1j * angles)


def rope_attention(Q, K, V, positions=None, mask=None, L=10000.0):
    """Scaled dot-product attention of N tokens with one another, queries and keys turned by RoPE first."""
    if positions is None:
        positions = torch.arange(Q.shape[-2])
    products = _turned(Q, positions, L) @ _turned(K, positions, L).mH
    scores = products.real / math.sqrt(Q.shape[-1])
    if mask is None:
        alpha = torch.softmax(scores, -1)
    else:
        nothing = ~mask.any(-1, keepdim=True)
        alpha = torch.softmax(torch.where(mask | nothing, scores, -torch.inf), -1)
        alpha = torch.where(nothing, 0.0, alpha)
    return Attended(alpha @ V, alpha)
