# The axis for the heads is added only to masks with three axes and always on axis 1, so with two leading dimensions sentences are paired with heads.
# Breaks: "it has **no axis for the heads**, since the same holds in each. Adding that axis is your job."
import math

import torch
import torch.nn as nn


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
        Q, K, V = (layer(X).unflatten(-1, (self.H, -1)).transpose(-3, -2)
                   for layer, X in ((self.W_q, X_q), (self.W_k, X_kv), (self.W_v, X_kv)))
        scores = Q @ K.mT / math.sqrt(self.D // self.H)
        if mask is not None:
            if mask.dim() == 3:   # B x N_q x N_kv
                mask = mask.unsqueeze(1)
            nothing = ~mask.any(-1, keepdim=True)
            scores = scores.masked_fill(~mask, -math.inf).masked_fill(nothing, 0.0)
            alpha = torch.softmax(scores, -1).masked_fill(nothing, 0.0)
        else:
            alpha = torch.softmax(scores, -1)
        heads = (alpha @ V).transpose(-3, -2).flatten(-2)
        return self.W_o(heads), alpha
