# The memory goes through norm2 as well before the cross-attention reads it.
# Breaks: "The memory may have another number of tokens than $X$, and is taken as it is: it has been normalised already."
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

    def forward(self, X, memory, mask=None):
        """Apply the layer to the tokens X, which read the memory."""
        if mask is not None:
            N = X.shape[-2]
            mask = ~mask.expand(*X.shape[:-2], N, N)
            if X.dim() == 3:
                mask = mask.repeat_interleave(self.H, dim=0)
        A = self.norm1(X)
        X = X + self.self_attention(A, A, A, attn_mask=mask)[0]
        A, M = self.norm2(X), self.norm2(memory)
        X = X + self.cross_attention(A, M, M)[0]
        return X + self.mlp(self.norm3(X))
