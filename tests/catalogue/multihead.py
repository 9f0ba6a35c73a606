"""Multi-head attention: wrong and unusual answers."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from catalogue import mistake, variant


class _Given(nn.Module):
    """The constructor that the stub gives."""

    def __init__(self, D, H):
        super().__init__()
        if D % H != 0:
            raise ValueError("H must divide D")
        self.D, self.H = D, H
        self.W_q = nn.Linear(D, D)
        self.W_k = nn.Linear(D, D)
        self.W_v = nn.Linear(D, D)
        self.W_o = nn.Linear(D, D)


def _attend(q, k, v, mask=None):
    """Attention of ... x H x N x d; the mask has no axis of heads yet."""
    s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask.unsqueeze(-3), float("-inf"))
    w = torch.nan_to_num(torch.softmax(s, dim=-1))
    return w @ v, w


def _split(x, H):
    return x.reshape(*x.shape[:-1], H, x.shape[-1] // H).transpose(-2, -3)


def _merge(x):
    x = x.transpose(-2, -3)
    return x.reshape(*x.shape[:-2], -1)


@mistake("MultiHeadAttention", "heads joined by a reshape without the transposition", named="heads reshaped without swapping the axes back")
class M057(_Given):
    def forward(self, X_q, X_kv, mask=None):
        q, k, v = _split(self.W_q(X_q), self.H), _split(self.W_k(X_kv), self.H), _split(self.W_v(X_kv), self.H)
        out, w = _attend(q, k, v, mask)
        return self.W_o(out.reshape(X_q.shape)), w


@mistake("MultiHeadAttention", "no transposition on the way in or out", named="without any transposition")
class M058(_Given):
    def forward(self, X_q, X_kv, mask=None):
        def heads(x):
            return x.reshape(*x.shape[:-2], self.H, x.shape[-2], self.D // self.H)
        out, w = _attend(heads(self.W_q(X_q)), heads(self.W_k(X_kv)), heads(self.W_v(X_kv)), mask)
        return self.W_o(out.reshape(X_q.shape)), w


@mistake("MultiHeadAttention", "batch and heads made one axis by a view", named="reshapes without any transposition")
class M059(_Given):
    def forward(self, X_q, X_kv, mask=None):
        d, lead = self.D // self.H, X_q.shape[:-2]
        B = math.prod(lead)
        q, k, v = (x.reshape(B * self.H, -1, d) for x in (self.W_q(X_q), self.W_k(X_kv), self.W_v(X_kv)))
        N, M = X_q.shape[-2], X_kv.shape[-2]
        s = (q @ k.transpose(1, 2) / math.sqrt(d)).reshape(*lead, self.H, N, M)
        if mask is not None:
            s = s.masked_fill(~mask.unsqueeze(-3), float("-inf"))
        w = torch.nan_to_num(torch.softmax(s, -1))
        out = w @ v.reshape(*lead, self.H, M, d)
        return self.W_o(out.reshape(*lead, N, self.D)), w


@mistake("MultiHeadAttention", "the axis of the heads last when the features are split", named="heads dealt out like cards")
class M060(_Given):
    def forward(self, X_q, X_kv, mask=None):
        def heads(x):
            return x.unflatten(-1, (-1, self.H)).movedim(-1, -3)
        out, w = _attend(heads(self.W_q(X_q)), heads(self.W_k(X_kv)), heads(self.W_v(X_kv)), mask)
        return self.W_o(out.movedim(-3, -1).flatten(-2)), w


@mistake("MultiHeadAttention", "feature 0 of all heads first when they are joined", named="heads shuffled like cards")
class M061(_Given):
    def forward(self, X_q, X_kv, mask=None):
        q, k, v = _split(self.W_q(X_q), self.H), _split(self.W_k(X_kv), self.H), _split(self.W_v(X_kv), self.H)
        out, w = _attend(q, k, v, mask)
        joined = out.movedim(-3, -1).reshape(*X_q.shape[:-1], self.D)
        return self.W_o(joined), w


@mistake("multi_head_attention", "the list of heads turned round", named="in reverse order")
def M062(X, W_q, W_k, W_v, W_o):
    heads = []
    for a, b, c in zip(W_q, W_k, W_v):
        s = (X @ a) @ (X @ b).transpose(-1, -2) / math.sqrt(a.shape[1])
        heads.append(s.softmax(-1) @ (X @ c))
    return torch.cat(heads[::-1], dim=-1) @ W_o


@mistake("MultiHeadAttention", "W_o never called", named="an output layer W_o that was never used")
class M063(_Given):
    def forward(self, X_q, X_kv, mask=None):
        q, k, v = _split(self.W_q(X_q), self.H), _split(self.W_k(X_kv), self.H), _split(self.W_v(X_kv), self.H)
        out, w = _attend(q, k, v, mask)
        return _merge(out), w


@mistake("multi_head_attention", "no scale", named="never divided by sqrt(D_k)")
def M065(X, W_q, W_k, W_v, W_o):
    outs = []
    for h in range(len(W_q)):
        q, k, v = X @ W_q[h], X @ W_k[h], X @ W_v[h]
        outs += [F.softmax(q @ k.transpose(-1, -2), dim=-1) @ v]
    return torch.cat(outs, -1) @ W_o


@mistake("MultiHeadAttention", "W_k copied into the line of the values", named="values made with W_k")
class M067(_Given):
    def forward(self, X_q, X_kv, mask=None):
        q, k, v = _split(self.W_q(X_q), self.H), _split(self.W_k(X_kv), self.H), _split(self.W_k(X_kv), self.H)
        out, w = _attend(q, k, v, mask)
        return self.W_o(_merge(out)), w


@mistake("MultiHeadAttention", "X_kv never looked at", named="keys and values taken from X_q")
class M068(_Given):
    def forward(self, X_q, X_kv, mask=None):
        q, k, v = _split(self.W_q(X_q), self.H), _split(self.W_k(X_q), self.H), _split(self.W_v(X_q), self.H)
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~mask.unsqueeze(-3), float("-inf"))
        w = torch.nan_to_num(torch.softmax(s, -1))
        return self.W_o(_merge(w @ v)), w


@mistake("MultiHeadAttention", "the memory asks, the tokens answer", named="X_q and X_kv in each other's place")
class M069(_Given):
    def forward(self, X_q, X_kv, mask=None):
        q, k, v = _split(self.W_q(X_kv), self.H), _split(self.W_k(X_q), self.H), _split(self.W_v(X_q), self.H)
        out, w = _attend(q, k, v, mask)
        return self.W_o(_merge(out)), w


@mistake("multi_head_attention", "matrices taken for those of nn.Linear", named="matrices that were transposed")
def M072(X, W_q, W_k, W_v, W_o):
    outs = []
    for h in range(len(W_q)):
        q, k, v = F.linear(X, W_q[h]), F.linear(X, W_k[h]), F.linear(X, W_v[h])
        outs.append(torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), dim=-1) @ v)
    return F.linear(torch.cat(outs, -1), W_o)


@mistake("MultiHeadAttention", "B x N x N handed to scores of B x H x N x N", named="lands on the axis of the heads")
class M075(_Given):
    def forward(self, X_q, X_kv, mask=None):
        q, k, v = _split(self.W_q(X_q), self.H), _split(self.W_k(X_kv), self.H), _split(self.W_v(X_kv), self.H)
        s = torch.matmul(q, k.transpose(-1, -2)) / (self.D // self.H) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, -torch.inf)
        w = torch.nan_to_num(s.softmax(-1))
        return self.W_o(_merge(w @ v)), w


@mistake("MultiHeadAttention", "the residual connection of the block", named="the queries added to the output")
class M077(_Given):
    def forward(self, X_q, X_kv, mask=None):
        q, k, v = _split(self.W_q(X_q), self.H), _split(self.W_k(X_kv), self.H), _split(self.W_v(X_kv), self.H)
        out, w = _attend(q, k, v, mask)
        return X_q + self.W_o(_merge(out)), w


@mistake("MultiHeadAttention", "a dropout on the weights, as in code made for training, and the weights returned after it",
         hinted="Add up a row of one of them")
class M224(_Given):
    def forward(self, X_q, X_kv, mask=None):
        q, k, v = _split(self.W_q(X_q), self.H), _split(self.W_k(X_kv), self.H), _split(self.W_v(X_kv), self.H)
        w = F.dropout(_attend(q, k, v, mask)[1], p=0.1)
        return self.W_o(_merge(w @ v)), w


@variant("multi_head_attention", "a loop over heads, summing what each adds to the output")
def V020(X, W_q, W_k, W_v, W_o):
    Y = torch.zeros_like(X)
    width = W_v[0].shape[1]
    for h, (a, b, c) in enumerate(zip(W_q, W_k, W_v)):
        s = (X @ a) @ (X @ b).transpose(-1, -2) / math.sqrt(a.shape[1])
        Y = Y + s.softmax(-1) @ (X @ c) @ W_o[h * width:(h + 1) * width]
    return Y


@variant("MultiHeadAttention", "one stacked matrix for queries, keys and values")
class V021(_Given):
    def forward(self, X_q, X_kv, mask=None):
        weight = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
        bias = torch.cat([self.W_q.bias, self.W_k.bias, self.W_v.bias])
        q = F.linear(X_q, weight, bias)[..., :self.D]
        _, k, v = F.linear(X_kv, weight, bias).chunk(3, dim=-1)
        out, w = _attend(_split(q, self.H), _split(k, self.H), _split(v, self.H), mask)
        return self.W_o(_merge(out)), w


@variant("MultiHeadAttention", "weights seen as H x D x D/H")
class V023(_Given):
    def forward(self, X_q, X_kv, mask=None):
        def project(layer, X):
            per_head = layer.weight.reshape(self.H, self.D // self.H, self.D).transpose(1, 2)
            return X.unsqueeze(-3) @ per_head + layer.bias.reshape(self.H, 1, -1)
        out, w = _attend(project(self.W_q, X_q), project(self.W_k, X_kv), project(self.W_v, X_kv), mask)
        return self.W_o(_merge(out)), w


@variant("MultiHeadAttention", "tokens first, the batch second")
class V026(_Given):
    def forward(self, X_q, X_kv, mask=None):
        lead, (N, M) = X_q.shape[:-2], (X_q.shape[-2], X_kv.shape[-2])
        def heads(layer, X):
            x = X.reshape(-1, X.shape[-2], self.D).transpose(0, 1)
            return layer(x).reshape(X.shape[-2], -1, self.H, self.D // self.H)
        q, k, v = heads(self.W_q, X_q), heads(self.W_k, X_kv), heads(self.W_v, X_kv)
        s = torch.einsum("nbhd,mbhd->bhnm", q, k) / math.sqrt(self.D // self.H)
        if mask is not None:
            s = s.reshape(*lead, self.H, N, M).masked_fill(~mask.unsqueeze(-3), float("-inf")).reshape(-1, self.H, N, M)
        w = torch.nan_to_num(s.softmax(-1))
        out = torch.einsum("bhnm,mbhd->nbhd", w, v).flatten(2)
        return self.W_o(out).transpose(0, 1).reshape(X_q.shape), w.reshape(*lead, self.H, N, M)
