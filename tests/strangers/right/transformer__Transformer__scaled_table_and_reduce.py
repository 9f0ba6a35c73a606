# Unusual but right: the embedding TABLE is scaled before the lookup, the layers are folded with functools.reduce, and the causal mask is one of -inf.
import functools
import inspect
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def sinusoids(N, D):
    """N x D positional encodings: sin(n / L^(i/D)) in the even columns i, cos(n / L^((i-1)/D)) in the odd ones, L = 10000."""
    n = torch.arange(N, dtype=torch.float64)[:, None]
    i = torch.arange(D)
    angles = n * torch.exp(-math.log(10000.0) * (i - i % 2) / D)
    return torch.where(i % 2 == 0, torch.sin(angles), torch.cos(angles)).to(torch.get_default_dtype())


def at_most_max_len(method):
    """Raise a ValueError where the sequences are longer than the model has positions."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def checked(*args, **kwargs):
        model, sequences, *_ = signature.bind(*args, **kwargs).arguments.values()
        if sequences.shape[-1] > model.max_len:
            raise ValueError(f"sequences of {sequences.shape[-1]} tokens are longer than max_len = {model.max_len}")
        return method(*args, **kwargs)
    return checked


class Transformer(nn.Module):
    """A transformer from sequences to sequences: an encoder that reads the source, a decoder that says the target."""

    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__()
        self.D = D
        self.max_len = max_len
        self.src_embedding = nn.Embedding(vocab, D)
        self.tgt_embedding = nn.Embedding(vocab, D)
        self.register_buffer("positions", sinusoids(max_len, D), persistent=False)  # max_len x D, not learned
        options = dict(dim_feedforward=4 * D, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.ModuleList([nn.TransformerEncoderLayer(D, H, **options) for _ in range(n_enc)])
        self.decoder = nn.ModuleList([nn.TransformerDecoderLayer(D, H, **options) for _ in range(n_dec)])
        self.encoder_norm = nn.LayerNorm(D)
        self.decoder_norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, vocab)

    def _start(self, tokens, embedding):
        return F.embedding(tokens, embedding.weight * self.D ** 0.5) + self.positions.narrow(0, 0, tokens.shape[1])

    @at_most_max_len
    def encode(self, src):
        """Read the source."""
        return self.encoder_norm(functools.reduce(lambda X, layer: layer(X), self.encoder, self._start(src, self.src_embedding)))

    @at_most_max_len
    def decode(self, tgt_in, memory):
        """Say what comes next after each token of the target so far; always causal."""
        X = self._start(tgt_in, self.tgt_embedding)
        ahead = torch.full((X.shape[1], X.shape[1]), -math.inf, dtype=X.dtype).triu(diagonal=1)
        X = functools.reduce(lambda X, layer: layer(X, memory, tgt_mask=ahead), self.decoder, X)
        return self.head(self.decoder_norm(X))
