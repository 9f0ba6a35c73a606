# Unusual but right: torch.nn.functional.unfold (im2col); the result is a transposed, non-contiguous tensor.
import torch.nn.functional as F


def patchify(images, P):
    """Cut square images into P x P patches."""
    S = images.shape[-1]
    if P < 1 or S % P:
        raise ValueError(f"patches of {P} x {P} pixels do not fill an image of {S} x {S}")
    return F.unfold(images.unsqueeze(1), kernel_size=P, stride=P).transpose(1, 2)
