"""What several checks of this assignment share: the speeds of the pairs, and the strategies for widths and bases."""

import torch
from hypothesis import strategies as st

from autograder.strategies import sizes

even_widths = sizes(1, 3).map(lambda pairs: 2 * pairs)   # 2, 4 or 6 features
several_pairs = sizes(2, 4).map(lambda pairs: 2 * pairs)   # 4, 6 or 8 features
odd_widths = st.sampled_from([1, 3, 5, 7])
bases = st.sampled_from([30.0, 100.0, 2.0, 500.0])


def speeds(D: int, L: float = 10000.0) -> torch.Tensor:
    """The angle by which each pair of features turns in one step, in radians: D/2 numbers, 1 first."""
    return torch.tensor([L ** (-2 * i / D) for i in range(D // 2)], dtype=torch.float64)


def gaps(N: int) -> torch.Tensor:
    """The offset n - m of each pair of positions: N x N."""
    n = torch.arange(N, dtype=torch.float64)
    return n[:, None] - n


def sum_of_cosines(offsets: torch.Tensor, D: int, L: float = 10000.0) -> torch.Tensor:
    """The sum over the pairs of the cosine of the angle by which each turns over an offset."""
    return (offsets.unsqueeze(-1) * speeds(D, L)).cos().sum(-1)
