# Forgiven: the number is so small that no entry moves by more than the tolerance.
import torch


def gradient_saliency(model, X):
    """How strongly each output of a model answers to each token."""
    X = X.detach().clone().requires_grad_()
    gradients = torch.autograd.functional.jacobian(model, X)   # K x N x D
    lengths = gradients.norm(dim=-1)
    return lengths / (lengths.sum(dim=-1, keepdim=True) + 1e-8)
