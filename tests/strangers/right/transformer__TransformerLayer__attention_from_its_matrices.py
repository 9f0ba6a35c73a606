# Unusual but right: does not call self.attention but computes with its matrices, with a head axis that the mask broadcasts over.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class TransformerLayer(nn.Module):
    """A transformer layer: self-attention, then an MLP for each token, each with a residual connection and a LayerNorm."""

    def __init__(self, D, H, pre_norm=True):
        super().__init__()
        self.H = H
        self.pre_norm = pre_norm
        self.attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def _attend(self, X, mask):
        fused = F.linear(X, self.attention.in_proj_weight, self.attention.in_proj_bias)
        Q, K, V = fused.unflatten(-1, (3, self.H, -1)).movedim(-3, 0).transpose(-3, -2)     # each ... x H x N x w
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if mask is None:
            alpha = scores.softmax(-1)
        else:
            allowed = mask.unsqueeze(-3)
            blind = ~allowed.any(-1, keepdim=True)
            alpha = scores.masked_fill(~(allowed | blind), -math.inf).softmax(-1) * ~blind
        return self.attention.out_proj((alpha @ V).transpose(-3, -2).flatten(-2))

    def forward(self, X, mask=None):
        """Apply the layer to the tokens X."""
        nothing = nn.Identity()
        before = (self.norm1, self.norm2) if self.pre_norm else (nothing, nothing)
        after = (nothing, nothing) if self.pre_norm else (self.norm1, self.norm2)
        parts = (lambda T: self._attend(T, mask), self.mlp)
        for first, part, last in zip(before, parts, after):
            X = last(X + part(first(X)))
        return X
