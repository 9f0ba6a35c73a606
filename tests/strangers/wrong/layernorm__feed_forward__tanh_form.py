# The hidden units go through the tanh form of GELU (as in GPT-2), off by up to 5e-4.
# Breaks: "GELU is the **exact** form; use your own `gelu` or torch's."
import torch
import torch.nn.functional as F


def feed_forward(X, W_1, b_1, W_2, b_2):
    """The position-wise network."""
    hidden = F.gelu(X @ W_1 + b_1, approximate="tanh")
    return hidden @ W_2 + b_2
