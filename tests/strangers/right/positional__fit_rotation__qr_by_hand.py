# Unusual but right: QR decomposition and back substitution in place of lstsq; the result is a transposed (non-contiguous) tensor.
import torch


def fit_rotation(R, k):
    """The matrix M that moves encodings on by k positions as well as a matrix can."""
    N = R.size(0)
    before, after = R.narrow(0, 0, N - k), R.narrow(0, k, N - k)
    orthogonal, triangle = torch.linalg.qr(before)
    return torch.linalg.solve_triangular(triangle, orthogonal.mT @ after, upper=True).mT
