# For an odd D the table of D + 1 features is built and its last column cut off, so all exponents have D + 1 below the line.
# Breaks: "then the last feature is a sine that has no cosine, with the exponent $(D - 1)/D$ that the formula gives it."
import torch


def sinusoidal_encoding(N, D, L=10000.0):
    """Sinusoidal encodings of the positions 0 to N - 1."""
    width = D + D % 2
    n = torch.arange(N, dtype=torch.float64)[:, None]
    theta = L ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    table = torch.zeros(N, width, dtype=torch.float64)
    table[:, 0::2] = torch.sin(n * theta)
    table[:, 1::2] = torch.cos(n * theta)
    return table[:, :D]
