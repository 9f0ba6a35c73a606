# Unusual but right: nested Python lists of comparisons, turned into a tensor at the end.
import torch


def padding_mask(lengths, N):
    """The padding mask: sentence b may be attended to at its first lengths[b] tokens only."""
    rows = [[[key < length for key in range(N)]] for length in lengths.tolist()]
    return torch.tensor(rows, dtype=torch.bool).reshape(len(rows), 1, N)
