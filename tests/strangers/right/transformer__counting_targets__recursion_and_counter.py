# Unusual but right: recursion over the leading dimensions and a collections.Counter for each sequence.
from collections import Counter

import torch


def _count(sequence, V):
    if sequence and isinstance(sequence[0], list):
        return [_count(part, V) for part in sequence]
    numbers = Counter(sequence)
    return [min(numbers[token] - 1, V - 1) for token in sequence]


def counting_targets(x, V):
    """For each token the number of OTHER tokens in its sequence that are equal to it, at most V - 1."""
    return torch.tensor(_count(x.tolist(), V), dtype=torch.int64).reshape(x.shape)
