# Unusual but right: each pair is a complex number exp(i n theta), whose real and imaginary parts are exchanged at the end; an odd D loses the last cosine.
import torch


def sinusoidal_encoding(N, D, L=10000.0):
    """Sinusoidal encodings of the positions 0 to N - 1."""
    pairs = (D + 1) // 2
    n = torch.arange(N, dtype=torch.float64)
    theta = torch.tensor([float(L) ** (-2 * i / D) for i in range(pairs)], dtype=torch.float64)
    angles = torch.outer(n, theta)
    hands = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))    # N x pairs x (cos, sin)
    return hands.flip(-1).flatten(1)[:, :D]
