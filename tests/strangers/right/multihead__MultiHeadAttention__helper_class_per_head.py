# Unusual but right: a small helper class for one head, which works on slices of the big matrices; the outputs of the heads are added, not concatenated.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class OneHead:
    """Head h of a layer; holds nothing but the layer and its own stretch of features."""

    def __init__(self, layer, h):
        w = layer.D // layer.H
        self.layer, self.stretch, self.root = layer, slice(h * w, (h + 1) * w), math.sqrt(w)

    def project(self, linear, X):
        return F.linear(X, linear.weight[self.stretch], linear.bias[self.stretch])

    def __call__(self, X_q, X_kv, mask):
        Q = self.project(self.layer.W_q, X_q)
        K = self.project(self.layer.W_k, X_kv)
        V = self.project(self.layer.W_v, X_kv)
        scores = Q @ K.mT / self.root
        if mask is not None:
            lonely = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~(mask | lonely), -math.inf)
        alpha = torch.softmax(scores, dim=-1)
        if mask is not None:
            alpha = alpha.masked_fill(lonely, 0.0)
        return F.linear(alpha @ V, self.layer.W_o.weight[:, self.stretch]), alpha


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
        parts, alphas = zip(*(OneHead(self, h)(X_q, X_kv, mask) for h in range(self.H)))
        return sum(parts) + self.W_o.bias, torch.stack(alphas, dim=-3)
