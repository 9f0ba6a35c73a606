# The scores are divided by the root of D/H, which is not D_k when D_k is chosen independently of D.
# Breaks: "The root is that of $D_k$, the width of one head's keys."
import math

import torch


def multi_head_attention(X, W_q, W_k, W_v, W_o):
    """Multi-head self-attention, head by head."""
    H = len(W_q)
    width = X.shape[-1] / H
    heads = []
    for h in range(H):
        Q, K, V = X @ W_q[h], X @ W_k[h], X @ W_v[h]
        alpha = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(width), dim=-1)
        heads.append(alpha @ V)
    return torch.cat(heads, dim=-1) @ W_o
