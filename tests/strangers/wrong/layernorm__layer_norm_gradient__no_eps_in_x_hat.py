# The root in front has eps in it, but x_hat is computed with the bare variance (hard to see at 1e-5; NaN for a constant token).
# Breaks: "The same root, with $\varepsilon$ in it, stands in front and inside each $\hat{x}$."
import torch


def layer_norm_gradient(dY, X, gamma, eps=1e-5):
    """The gradients of a loss with respect to X, gamma and beta."""
    centred = X - X.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)
    x_hat = centred / variance.sqrt()
    g = gamma * dY
    dX = (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True)) / torch.sqrt(variance + eps)
    D = X.shape[-1]
    dgamma = (dY * x_hat).reshape(-1, D).sum(0)
    dbeta = dY.reshape(-1, D).sum(0)
    return dX, dgamma, dbeta
