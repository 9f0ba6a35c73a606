# Unusual but right: Tensor.unfold cuts the windows; the result is a non-contiguous view.
import torch


def split_heads(X, H):
    """Cut the D features of every token into H heads of D/H features."""
    D = X.shape[-1]
    if H < 1 or D % H:
        raise ValueError(f"the number of heads, {H}, does not divide the {D} features of a token")
    w = D // H
    return X.unfold(-1, w, w).movedim(-2, -3)
