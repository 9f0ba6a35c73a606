# Unusual but right: each sequence of a batch goes through attention by itself, so the mask is always N x N; rows that see nothing are replaced by the bias.
import torch
import torch.nn as nn


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

    def attend(self, X, mask):
        """X: N x D. mask: None or N x N."""
        if mask is None:
            return self.attention(X, X, X, need_weights=False)[0]
        blind = torch.logical_not(mask.any(dim=-1, keepdim=True))        # N x 1
        forbidden = torch.logical_not(mask | blind)                      # a blind row may look anywhere for now
        Y, _ = self.attention(X, X, X, attn_mask=forbidden)
        return torch.where(blind, self.attention.out_proj.bias, Y)

    def forward(self, X, mask=None):
        """Apply the layer to the tokens X."""
        if X.dim() == 3:
            N = X.shape[1]
            masks = [None] * len(X) if mask is None else mask.expand(len(X), N, N)
            return torch.stack([self.forward(x, m) for x, m in zip(X, masks)])
        if mask is not None:
            mask = mask.expand(X.shape[0], X.shape[0])
        if self.pre_norm:
            Z = X + self.attend(self.norm1(X), mask)
            return Z + self.mlp(self.norm2(Z))
        Z = self.norm1(X + self.attend(X, mask))
        return self.norm2(Z + self.mlp(Z))
