# R_1 is multiplied k times in a loop, which runs zero times for a negative k and returns the identity.
# Breaks: "The number of steps $k$ is a Python int, which may be negative."
import torch


def rotation_matrix(k, D, L=10000.0):
    """The matrix R_k that moves sinusoidal encodings on by k positions."""
    if D % 2 != 0:
        raise ValueError("D must be even")
    theta = L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    one_step = torch.zeros(D, D, dtype=torch.float64)
    even = torch.arange(0, D, 2)
    one_step[even, even] = one_step[even + 1, even + 1] = torch.cos(theta)
    one_step[even, even + 1] = torch.sin(theta)
    one_step[even + 1, even] = -torch.sin(theta)
    R = torch.eye(D, dtype=torch.float64)
    for _ in range(k):
        R = one_step @ R
    return R
