"""The whole transformer and teacher forcing: wrong and unusual answers."""

import copy
import math

import torch
import torch.nn as nn

from autograder.exercises.transformer._given import sinusoids  # in the notebook: from a locked cell
from catalogue import mistake, variant


class _Model(nn.Module):
    """The constructor that the stub gives, and right methods."""

    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__()
        self.D, self.max_len = D, max_len
        self.src_embedding = nn.Embedding(vocab, D)
        self.tgt_embedding = nn.Embedding(vocab, D)
        self.register_buffer("positions", sinusoids(max_len, D), persistent=False)
        options = dict(dim_feedforward=4 * D, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.ModuleList([nn.TransformerEncoderLayer(D, H, **options) for _ in range(n_enc)])
        self.decoder = nn.ModuleList([nn.TransformerDecoderLayer(D, H, **options) for _ in range(n_dec)])
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(D), nn.LayerNorm(D)
        self.head = nn.Linear(D, vocab)

    def embed(self, table, tokens):
        if tokens.shape[1] > self.max_len:
            raise ValueError("too long")
        return table(tokens) * math.sqrt(self.D) + self.positions[:tokens.shape[1]]

    def encode(self, src):
        X = self.embed(self.src_embedding, src)
        for layer in self.encoder:
            X = layer(X)
        return self.encoder_norm(X)

    def decode(self, tgt_in, memory):
        X = self.embed(self.tgt_embedding, tgt_in)
        future = torch.ones(tgt_in.shape[1], tgt_in.shape[1]).triu(1).bool()
        for layer in self.decoder:
            X = layer(X, memory, tgt_mask=future)
        return self.head(self.decoder_norm(X))


@mistake("Transformer", "positions cut to the number of sentences and added along the batch", named="positions that run along the batch")
class M129(_Model):
    def embed(self, table, tokens):
        if tokens.shape[1] > self.max_len:
            raise ValueError("too long")
        return table(tokens) * math.sqrt(self.D) + self.positions[:tokens.shape[0]].unsqueeze(1)


@mistake("Transformer", "embeddings divided by the root", named="embeddings divided by sqrt(D)")
class M130(_Model):
    def embed(self, table, tokens):
        if tokens.shape[1] > self.max_len:
            raise ValueError("too long")
        return table(tokens) / math.sqrt(self.D) + self.positions[:tokens.shape[1]]


@mistake("Transformer", "layers in a plain list", named="a plain Python list")
class M185(_Model):
    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__(vocab, D, H, n_enc, n_dec, max_len)
        encoder, decoder = list(self.encoder), list(self.decoder)
        del self.encoder, self.decoder
        self.encoder, self.decoder = encoder, decoder


@mistake("Transformer", "copies of one layer", hinted="two layers start from the same numbers")
class M186(_Model):
    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__(vocab, D, H, n_enc, n_dec, max_len)
        options = dict(dim_feedforward=4 * D, dropout=0.0, batch_first=True, norm_first=True)
        one, other = nn.TransformerEncoderLayer(D, H, **options), nn.TransformerDecoderLayer(D, H, **options)
        self.encoder = nn.ModuleList([copy.deepcopy(one) for _ in range(n_enc)])
        self.decoder = nn.ModuleList([copy.deepcopy(other) for _ in range(n_dec)])


@mistake("Transformer", "the mask made on a graphics card, whatever the rest is on", hinted="device=X.device")
class M192(_Model):
    def decode(self, tgt_in, memory):
        X = self.embed(self.tgt_embedding, tgt_in)
        future = torch.ones(tgt_in.shape[1], tgt_in.shape[1]).triu(1).bool().cuda()
        for layer in self.decoder:
            X = layer(X, memory, tgt_mask=future)
        return self.head(self.decoder_norm(X))


@mistake("shift_right", "the targets as they are", named="targets that were not shifted")
def M188(targets, sos):
    return targets.clone()


@mistake("shift_right", "shifted by two", named="shifted by two places")
def M189(targets, sos):
    start = torch.full_like(targets[:, :2], sos)
    return torch.cat([start, targets[:, :-2]], dim=1)[:, :targets.shape[1]]


@variant("Transformer", "another start: all weights drawn anew after the constructor that was given")
class V048(_Model):
    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__(vocab, D, H, n_enc, n_dec, max_len)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)


@variant("Transformer", "parts built in another order")
class V050(nn.Module):
    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__()
        options = dict(dim_feedforward=4 * D, dropout=0.0, batch_first=True, norm_first=True)
        self.head = nn.Linear(D, vocab)
        self.decoder_norm = nn.LayerNorm(D)
        self.decoder = nn.ModuleList(nn.TransformerDecoderLayer(D, H, **options) for _ in range(n_dec))
        self.encoder_norm = nn.LayerNorm(D)
        self.encoder = nn.ModuleList(nn.TransformerEncoderLayer(D, H, **options) for _ in range(n_enc))
        self.register_buffer("positions", sinusoids(max_len, D), persistent=False)
        self.tgt_embedding, self.src_embedding = nn.Embedding(vocab, D), nn.Embedding(vocab, D)

    def encode(self, src):
        if src.size(1) > len(self.positions):
            raise ValueError("too long")
        X = self.src_embedding(src) * self.positions.size(1) ** 0.5 + self.positions[:src.size(1)]
        for layer in self.encoder:
            X = layer(X)
        return self.encoder_norm(X)

    def decode(self, tgt_in, memory):
        M = tgt_in.size(1)
        if M > len(self.positions):
            raise ValueError("too long")
        X = self.tgt_embedding(tgt_in) * self.positions.size(1) ** 0.5 + self.positions[:M]
        for layer in self.decoder:
            X = layer(X, memory, tgt_mask=torch.ones(M, M).triu(1) > 0)
        return self.head(self.decoder_norm(X))
