# Both factors use alpha_i: off the diagonal it gives -alpha_i^2 in place of -alpha_i alpha_j (right on the diagonal and for even weights).
# Breaks: "J_{ij} = \frac{\partial \alpha_i}{\partial z_j} = \alpha_i\,(\delta_{ij} - \alpha_j)"
import torch


def softmax_jacobian(alpha):
    """The Jacobian of softmax at the weights alpha."""
    delta = torch.eye(alpha.shape[-1], dtype=alpha.dtype)
    a = alpha.unsqueeze(-1)
    return a * (delta - a)
