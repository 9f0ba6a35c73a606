# Solves the orthogonal Procrustes problem: the best M among the ROTATIONS, which is the least-squares M only for tables like the sinusoids.
# Breaks: "Nothing says that $M$ must be a rotation, and on another table it will not be one."
import torch


def fit_rotation(R, k):
    """The matrix M that moves encodings on by k positions as well as a matrix can."""
    before, after = R[:-k], R[k:]
    U, _, Vt = torch.linalg.svd(after.mT @ before)
    return U @ Vt
