# Forgiven: at the offsets that are asked for, single precision stays within the tolerance.
import torch


def expected_rope_score(offsets, D_k, L=10000.0):
    """The expected score with RoPE of a query and an equal key at the offset d."""
    theta = L ** (-2 * torch.arange(D_k // 2) / D_k)
    return 2 * torch.cos(offsets[..., None] * theta).sum(-1)
