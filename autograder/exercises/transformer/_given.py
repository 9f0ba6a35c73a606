"""Things that the lesson gives to students in locked cells: the positions of the model, and a stand-in for a trained model."""

import math

import torch
import torch.nn as nn


def sinusoids(N, D):
    """N x D positional encodings: sin(n / L^(i/D)) in the even columns i, cos(n / L^((i-1)/D)) in the odd ones, L = 10000."""
    n = torch.arange(N, dtype=torch.float64)[:, None]
    i = torch.arange(D)
    angles = n * torch.exp(-math.log(10000.0) * (i - i % 2) / D)
    return torch.where(i % 2 == 0, torch.sin(angles), torch.cos(angles)).to(torch.get_default_dtype())


class HistoryModel(nn.Module):
    """Plays the part of a trained model of `vocab` tokens: what it says next depends on the source and on ALL that was said before.

    It computes with whole numbers modulo a prime (cubes, which differ wherever their roots do), so that no two logits are ever
    equal and no difference is forgotten. `seed` makes different models. It hears 1000 tokens at most, as no real model is without a limit.
    """

    PRIME, MOST = 503, 1000

    def __init__(self, vocab, seed=0):
        super().__init__()
        self.vocab, self.seed = vocab, seed
        self.scale = nn.Parameter(torch.ones((), dtype=torch.float64))

    def encode(self, src):
        """src: int64 B x N. Returns the memory, float64 B x N x 1."""
        state, memory = torch.full_like(src[:, 0], self.seed % self.PRIME), []
        for token in src.unbind(1):
            state = (state**3 + 37 * token + 11) % self.PRIME
            memory.append(state)
        return self.scale * torch.stack(memory, 1)[..., None]

    def decode(self, tgt_in, memory):
        """tgt_in: int64 B x M, what was said so far, sos in front. memory: from encode. Returns logits B x M x vocab for the next tokens."""
        if tgt_in.numel() > self.MOST:
            raise ValueError(f"{tgt_in.numel()} tokens are more than this model can hear")
        state, logits = memory.detach()[..., 0].sum(-1).round().long() % self.PRIME, []
        tokens = torch.arange(20, 20 + self.vocab) ** 2 % self.PRIME
        for token in tgt_in.unbind(1):
            state = (state**3 + 53 * token + 29) % self.PRIME
            logits.append((1 + state % (self.PRIME - 1))[:, None] * tokens % self.PRIME)
        return self.scale * (torch.stack(logits, 1).double() / (self.PRIME / 8) - 4)
