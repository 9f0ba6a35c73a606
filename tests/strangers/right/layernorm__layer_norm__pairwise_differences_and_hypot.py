# Unusual but right: a feature minus the mean is the mean of its differences to all features, and the root of variance + eps is a hypotenuse of two lengths.
import math

import torch


def layer_norm(X, gamma, beta, eps=1e-5):
    """LayerNorm: each token minus its mean, over the root of its variance plus eps, times gamma, plus beta."""
    D = X.shape[-1]
    centred = (X.unsqueeze(-1) - X.unsqueeze(-2)).mean(dim=-1)
    length = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / math.sqrt(D)
    root = torch.hypot(length, torch.full_like(length, math.sqrt(eps)))
    return torch.addcmul(beta, centred / root, gamma)
