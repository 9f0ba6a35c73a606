# Unusual but right: ln(alpha^alpha) in place of alpha ln alpha, since 0^0 is 1 for the computer.
import torch


def attention_entropy(alpha):
    """The entropy of attention weights in nats."""
    return torch.log(torch.pow(alpha, alpha)).sum(dim=-1).neg()
