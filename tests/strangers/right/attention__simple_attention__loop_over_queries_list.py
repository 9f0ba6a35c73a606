# Unusual but right: one query at a time in a loop, no matrix product, and the pair is returned as a list.
import torch


def _one_query(X, n):
    x = X.narrow(-2, n, 1)                              # ... x 1 x D
    weights = torch.softmax((X * x).sum(-1), dim=-1)    # ... x N
    return (weights.unsqueeze(-1) * X).sum(-2), weights


def simple_attention(X):
    """Attention without parameters: Y = softmax(X X^T) X, with no scale."""
    answers = [_one_query(X, n) for n in range(X.size(-2))]
    return [torch.stack(rows, dim=-2) for rows in zip(*answers)]
