# Unusual but right: J as the covariance of a one-hot draw, sum_k alpha_k (e_k - alpha)(e_k - alpha)^T, and a transposed (non-contiguous) result.
import torch


def softmax_jacobian(alpha):
    """The Jacobian of softmax at the weights alpha."""
    unit_vectors = torch.eye(alpha.shape[-1], dtype=alpha.dtype, device=alpha.device)
    deviations = unit_vectors - alpha.unsqueeze(-2)                     # ... x k x i
    J = torch.einsum("...k,...ki,...kj->...ij", alpha, deviations, deviations)
    return J.transpose(-1, -2)
