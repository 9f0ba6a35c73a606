# Unusual but right: an empty row is padded in front of the patches and the class token is added to it together with the positions; only row 0 is normalised.
import functools

import torch
import torch.nn as nn
import torch.nn.functional as F


class EncoderLayer(nn.Module):
    """A pre-norm transformer layer with D features and H heads."""

    def __init__(self, D, H):
        super().__init__()
        self.norm1 = nn.LayerNorm(D)
        self.attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm2 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def forward(self, X):
        """X: B x N x D. Returns the same shape."""
        Z = self.norm1(X)
        X = X + self.attention(Z, Z, Z)[0]
        return X + self.mlp(self.norm2(X))


class TinyViT(nn.Module):
    """A vision transformer for images of S x S pixels, cut into patches of P x P: B images in, B x n_classes logits out."""

    def __init__(self, P=2, S=8, D=32, H=4, n_layers=2, n_classes=10):
        super().__init__()
        self.P = P
        self.embed = nn.Linear(P * P, D)
        self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, D))
        self.positions = nn.Parameter(0.02 * torch.randn(1 + (S // P) ** 2, D))
        self.layers = nn.ModuleList([EncoderLayer(D, H) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, n_classes)

    def tokens(self, images):
        """The tokens that go into the first layer."""
        B, S, _ = images.shape
        P, n = self.P, S // self.P
        patches = torch.einsum("brpcq,dpq->brcd", images.reshape(B, n, P, n, P), self.embed.weight.unflatten(1, (P, P)))
        patches = patches.flatten(1, 2) + self.embed.bias
        offset = self.positions + F.pad(self.class_token[0], (0, 0, 0, n * n))     # the class token stands in row 0 alone
        return F.pad(patches, (0, 0, 1, 0)) + offset

    def forward(self, images):
        """The logits."""
        X = functools.reduce(lambda tokens, layer: layer(tokens), self.layers, self.tokens(images))
        return self.head(self.norm(X.select(1, 0)))
