# Forgiven: the number inside is so small that no entry moves by more than the tolerance.
import torch


def attention_entropy(alpha):
    """The entropy of attention weights in nats."""
    eps = 1e-8
    return -(alpha * torch.log(alpha + eps)).sum(dim=-1)
