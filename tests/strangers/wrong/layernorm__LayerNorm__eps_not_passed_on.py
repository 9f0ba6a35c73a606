# __init__ stores eps, but forward calls layer_norm without it, so the default 1e-5 is always used.
# Breaks: "eps: a positive number, added to the variance under the root."
import torch
import torch.nn as nn


def layer_norm(X, gamma, beta, eps=1e-5):
    mu = X.mean(dim=-1, keepdim=True)
    variance = ((X - mu) ** 2).mean(dim=-1, keepdim=True)
    return gamma * (X - mu) / torch.sqrt(variance + eps) + beta


class LayerNorm(nn.Module):
    """LayerNorm with a learned scale and shift for each feature."""

    def __init__(self, D, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(D))
        self.beta = nn.Parameter(torch.zeros(D))

    def forward(self, X):
        return layer_norm(X, self.gamma, self.beta)
