# The causal mask is used only while self.training is true: after model.eval() the decoder looks ahead.
# Breaks: "The decoder is **always causal**."
import math

import torch
import torch.nn as nn


def sinusoids(N, D):
    """N x D positional encodings: sin(n / L^(i/D)) in the even columns i, cos(n / L^((i-1)/D)) in the odd ones, L = 10000."""
    n = torch.arange(N, dtype=torch.float64)[:, None]
    i = torch.arange(D)
    angles = n * torch.exp(-math.log(10000.0) * (i - i % 2) / D)
    return torch.where(i % 2 == 0, torch.sin(angles), torch.cos(angles)).to(torch.get_default_dtype())


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

    def embed(self, tokens, embedding):
        if tokens.shape[1] > self.max_len:
            raise ValueError(f"{tokens.shape[1]} tokens, but positions for {self.max_len} only")
        return embedding(tokens) * math.sqrt(self.D) + self.positions[:tokens.shape[1]]

    def encode(self, src):
        """Read the source."""
        X = self.embed(src, self.src_embedding)
        for layer in self.encoder:
            X = layer(X)
        return self.encoder_norm(X)

    def decode(self, tgt_in, memory):
        """Say what comes next after each token of the target so far."""
        X = self.embed(tgt_in, self.tgt_embedding)
        M = tgt_in.shape[1]
        # when the model speaks for itself there is nothing ahead that it could see
        forbidden = torch.ones(M, M, dtype=torch.bool).triu(1) if self.training else None
        for layer in self.decoder:
            X = layer(X, memory, tgt_mask=forbidden)
        return self.head(self.decoder_norm(X))
