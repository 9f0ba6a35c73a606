# The mask is stored in the layer and used again in a later call without a mask.
# Breaks: "The layer remembers nothing: what it was called on before makes no difference."
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

    def split(self, X):
        return X.reshape(*X.shape[:-1], self.H, self.D // self.H).transpose(-3, -2)

    def attend(self, Q, K):
        scores = Q @ K.mT / math.sqrt(self.D // self.H)
        if self.mask is None:
            return torch.softmax(scores, -1)
        allowed = self.mask.unsqueeze(-3)
        nothing = ~allowed.any(-1, keepdim=True)
        scores = scores.masked_fill(~allowed, -math.inf).masked_fill(nothing, 0.0)
        return torch.softmax(scores, -1).masked_fill(nothing, 0.0)

    def forward(self, X_q, X_kv, mask=None):
        """Let the tokens X_q attend to the tokens X_kv."""
        if mask is not None or not hasattr(self, "mask"):
            self.mask = mask
        alpha = self.attend(self.split(self.W_q(X_q)), self.split(self.W_k(X_kv)))
        heads = alpha @ self.split(self.W_v(X_kv))
        return self.W_o(heads.transpose(-3, -2).flatten(-2)), alpha
