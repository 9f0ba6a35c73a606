# The count is cut to V - 1 before the token itself is subtracted, so the largest class never occurs.
# Breaks: "a count that is larger than $V - 1$ becomes $V - 1$."
import torch


def counting_targets(x, V):
    """For each token the number of OTHER tokens in its sequence that are equal to it, at most V - 1."""
    equal = (x[..., :, None] == x[..., None, :]).sum(-1)
    return equal.clamp(max=V - 1) - 1
