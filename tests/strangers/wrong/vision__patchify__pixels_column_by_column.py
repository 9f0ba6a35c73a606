# The patches come in reading order, but the pixels within a patch are read column by column.
# Breaks: "The pixels of a patch come in reading order too."
import torch


def patchify(images, P):
    """Cut square images into P x P patches."""
    B, S, _ = images.shape
    if S % P != 0:
        raise ValueError(f"{P} does not divide {S}")
    n = S // P
    return images.reshape(B, n, P, n, P).permute(0, 1, 3, 4, 2).reshape(B, n * n, P * P)
