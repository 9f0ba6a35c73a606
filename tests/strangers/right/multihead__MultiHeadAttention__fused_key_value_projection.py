# Unusual but right: keys and values from one fused product, einsum instead of transposes, NamedTuple result.
import math
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Result = namedtuple("Result", "Y alpha")


class MultiHeadAttention(nn.Module):
    """Multi-head attention of one set of tokens to another (or to itself), with H heads of width D/H."""

    def __init__(self, D, H):
        super().__init__()
        if D % H != 0:
            raise ValueError(f"{H} heads do not divide {D} features")
        self.D, self.H = D, H
        self.W_q = nn.Linear(D, D)
        self.W_k = nn.Linear(D, D)
        self.W_v = nn.Linear(D, D)
        self.W_o = nn.Linear(D, D)

    def forward(self, X_q, X_kv, mask=None):
        """Let the tokens X_q attend to the tokens X_kv."""
        weight = torch.cat([self.W_k.weight, self.W_v.weight])
        bias = torch.cat([self.W_k.bias, self.W_v.bias])
        K, V = F.linear(X_kv, weight, bias).unflatten(-1, (2, self.H, -1)).unbind(-3)   # ... x N_kv x H x w
        Q = self.W_q(X_q).unflatten(-1, (self.H, -1))
        scores = torch.einsum("...qhw,...khw->...hqk", Q, K) / math.sqrt(Q.shape[-1])
        if mask is None:
            alpha = scores.softmax(-1)
        else:
            allowed = mask[..., None, :, :].expand_as(scores)
            empty = allowed.logical_not().all(-1, keepdim=True)
            alpha = torch.where(allowed | empty, scores, -math.inf).softmax(-1)
            alpha = torch.where(empty, torch.zeros_like(alpha), alpha)
        Y = self.W_o(torch.einsum("...hqk,...khw->...qhw", alpha, V).flatten(-2))
        return Result(Y, alpha)
