# Unusual but right: an additive mask of 0 and -inf in place of booleans, functools.partial for the two attentions, and no weights asked for.
import functools
import math

import torch
import torch.nn as nn


class DecoderLayer(nn.Module):
    """A decoder's layer, pre-norm: self-attention, then cross-attention to a memory, then an MLP for each token."""

    def __init__(self, D, H):
        super().__init__()
        self.H = H
        self.self_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.cross_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)
        self.norm3 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def _additive(self, X, mask):
        if mask is None:
            return None
        *lead, N, _ = X.shape
        numbers = torch.where(mask, 0.0, -math.inf).to(X.dtype).expand(*lead, N, N)
        if lead:   # B x N x N to (B * H) x N x N, all heads of sequence 0 first
            numbers = numbers[:, None].expand(-1, self.H, -1, -1).flatten(0, 1)
        return numbers

    def forward(self, X, memory, mask=None):
        """Apply the layer to the tokens X, which read the memory."""
        listen = functools.partial(self.self_attention, attn_mask=self._additive(X, mask), need_weights=False)
        read = functools.partial(self.cross_attention, key=memory, value=memory, need_weights=False)
        own = self.norm1(X)
        Z = X + listen(own, own, own)[0]
        U = Z + read(self.norm2(Z))[0]
        return U + self.mlp(self.norm3(U))
