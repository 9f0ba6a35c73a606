# Unusual but right: NumPy with a loop over the pairs, in float64 throughout, for any shape (none as well).
import numpy as np
import torch


def expected_rope_score(offsets, D_k, L=10000.0):
    """The expected score with RoPE of a query and an equal key at the offset d."""
    d = np.array(offsets.detach().tolist(), dtype=np.float64).reshape(tuple(offsets.shape))
    total = np.zeros(d.shape)
    for i in range(D_k // 2):
        total = total + 2.0 * np.cos(d * float(L) ** (-2.0 * i / D_k))
    return torch.from_numpy(np.array(total, dtype=np.float64))
