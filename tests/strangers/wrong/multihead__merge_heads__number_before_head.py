# The two last axes are joined as (number within the head, head), so the heads come out interleaved (it does invert a card-dealing split_heads).
# Breaks: "first the head, then the number within it"
import torch


def merge_heads(X):
    """Put the heads of every token side by side again."""
    return X.movedim(-3, -1).flatten(-2)
