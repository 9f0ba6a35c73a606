# Forgiven: values decide, not types; the result is remarked on.
import torch


def causal_mask(N):
    """The causal mask: entry (n, m) is True where token n may attend to token m, that is for m <= n."""
    return torch.tril(torch.ones(N, N, dtype=torch.uint8))
