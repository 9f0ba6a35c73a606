# eps is added to the standard deviation instead of the variance under the root.
# Breaks: "**$\varepsilon$ is added to the variance, under the root**, not to the standard deviation."
import torch


def layer_norm(X, gamma, beta, eps=1e-5):
    """LayerNorm: each token minus its mean, over its standard deviation, times gamma, plus beta."""
    mu = X.mean(dim=-1, keepdim=True)
    sigma = ((X - mu) ** 2).mean(dim=-1, keepdim=True).sqrt()
    return gamma * (X - mu) / (sigma + eps) + beta
