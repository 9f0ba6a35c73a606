# The positions are added to the patches only; the class token goes in without row 0 of the positions (hard to see at the small values of a fresh model).
# Breaks: "each plus the position of its row"
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


def embed_patches(images, embed, P):
    """Cut images B x S x S into P x P patches and embed each with `embed`, a Linear from P² to D: B x (S/P)² x D."""
    kernels = embed.weight.unflatten(1, (1, P, P))
    return F.conv2d(images[:, None], kernels, embed.bias, stride=P).flatten(2).mT


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
        patches = embed_patches(images, self.embed, self.P) + self.positions[1:]
        return torch.cat([self.class_token.expand(len(images), -1, -1), patches], dim=1)

    def forward(self, images):
        """The logits."""
        X = self.tokens(images)
        for layer in self.layers:
            X = layer(X)
        return self.head(self.norm(X)[:, 0])
