# In the post-norm arrangement only, the second residual connection carries X instead of Z.
# Breaks: "Note what the second residual connection carries: $Z$, in which attention's contribution is already contained."
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
        if mask is None:
            return self.attention(X, X, X)[0]
        N = X.shape[-2]
        mask = mask.expand(*X.shape[:-2], N, N)
        blind = ~mask.any(-1, keepdim=True)
        forbidden = ~(mask | blind)
        if X.dim() == 3:
            forbidden = forbidden.repeat_interleave(self.H, dim=0)
        Y = self.attention(X, X, X, attn_mask=forbidden)[0]
        return torch.where(blind, self.attention.out_proj.bias, Y)

    def forward(self, X, mask=None):
        """Apply the layer to the tokens X."""
        if self.pre_norm:
            Z = X + self.attend(self.norm1(X), mask)
            Y = Z + self.mlp(self.norm2(Z))
        else:
            Z = self.norm1(X + self.attend(X, mask))
            Y = self.norm2(X + self.mlp(Z))
        return Y
