# Unusual but right: one call of autograd.grad with a batch of unit vectors; adding 0 times X keeps outputs differentiable that do not depend on X.
import torch


@torch.enable_grad()
def gradient_saliency(model, X):
    """How strongly each output of a model answers to each token."""
    X = X.detach().clone().requires_grad_()
    outputs = model(X) + 0 * X.sum()
    units = torch.eye(outputs.numel(), dtype=outputs.dtype)
    gradients, = torch.autograd.grad(outputs, X, grad_outputs=units, is_grads_batched=True)     # K x N x D
    largest = gradients.abs().amax(dim=(-2, -1), keepdim=True)      # so that no square underflows
    lengths = torch.linalg.vector_norm(gradients / torch.where(largest > 0, largest, 1.0), dim=-1)
    totals = lengths.sum(dim=-1, keepdim=True)
    return torch.where(totals > 0, lengths / totals, torch.zeros_like(lengths))
