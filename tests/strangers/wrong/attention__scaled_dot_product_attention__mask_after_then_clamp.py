# The softmax is taken over forbidden keys too, then masked and renormalised with a clamp: if a forbidden score is far above the allowed ones, the rest no longer sums to 1.
# Breaks: "A pair that is not allowed gets weight 0, and the other weights of the row still sum to 1."
import math

import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    """Scaled dot-product attention: Y = softmax(Q K^T / sqrt(D_k)) V."""
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    alpha = torch.softmax(scores, dim=-1)
    if mask is not None:
        alpha = alpha * mask
        # rows without any allowed key: 0 / 1e-12 = 0
        alpha = alpha / alpha.sum(dim=-1, keepdim=True).clamp(min=1e-12)
    return alpha @ V, alpha
