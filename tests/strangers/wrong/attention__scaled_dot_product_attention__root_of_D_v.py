# The scores are divided by the root of the width of the values, which is only right where D_v equals D_k.
# Breaks: "S = \frac{Q K^{\mathsf T}}{\sqrt{D_k}}"
import math

import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    """Scaled dot-product attention: Y = softmax(Q K^T / sqrt(D_k)) V."""
    d = V.size(-1)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d)
    if mask is None:
        alpha = torch.softmax(scores, dim=-1)
    else:
        nothing = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask, -math.inf).masked_fill(nothing, 0.0)
        alpha = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    return alpha @ V, alpha
