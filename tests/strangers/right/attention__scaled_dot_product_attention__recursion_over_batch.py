# Unusual but right: recursion over the leading dimensions down to one sentence; fully masked rows are handled before the softmax.
import math

import torch


def _one_sentence(Q, K, V, mask):
    scores = torch.einsum("qd,kd->qk", Q, K) / math.sqrt(K.shape[1])
    if mask is None:
        weights = torch.softmax(scores, dim=1)
    else:
        sees_something = mask.any(dim=1, keepdim=True)
        usable = torch.where(mask | ~sees_something, scores, torch.full_like(scores, -math.inf))
        weights = torch.softmax(usable, dim=1) * sees_something
    return torch.einsum("qk,kd->qd", weights, V), weights


def scaled_dot_product_attention(Q, K, V, mask=None):
    """Scaled dot-product attention: Y = softmax(Q K^T / sqrt(D_k)) V."""
    if mask is not None:
        mask = mask.expand(*Q.shape[:-1], K.shape[-2])
    if Q.dim() == 2:
        return _one_sentence(Q, K, V, mask)
    masks = [None] * len(Q) if mask is None else mask
    pairs = [scaled_dot_product_attention(q, k, v, m) for q, k, v, m in zip(Q, K, V, masks)]
    outputs, weights = zip(*pairs)
    return torch.stack(outputs), torch.stack(weights)
