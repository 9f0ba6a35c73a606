"""Transformer layers: wrong and unusual answers."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from catalogue import mistake, variant


class _Encoder(nn.Module):
    """The constructor that the stub gives, and attention under a mask."""

    def __init__(self, D, H, pre_norm=True):
        super().__init__()
        self.H, self.pre_norm = H, pre_norm
        self.attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def attend(self, q, k, v, mask):
        if mask is None:
            return self.attention(q, k, v)[0]
        N = q.shape[-2]
        open_ = mask.expand(*q.shape[:-2], N, N)
        blind = ~open_.any(-1, keepdim=True)
        closed = ~(open_ | blind)
        if q.dim() == 3:
            closed = torch.repeat_interleave(closed, self.H, dim=0)
        return torch.where(blind, self.attention.out_proj.bias, self.attention(q, k, v, attn_mask=closed)[0])

    def post(self, x, mask):
        x = self.norm1(x + self.attend(x, x, x, mask))
        return self.norm2(x + self.mlp(x))


@mistake("TransformerLayer", "post-norm whatever is asked", named="the post-norm layer, whatever pre_norm says")
class M155(_Encoder):
    def forward(self, X, mask=None):
        X = self.norm1(X + self.attend(X, X, X, mask))
        return self.norm2(X + self.mlp(X))


@mistake("TransformerLayer", "the normalised tokens run past", named="carries the normalised tokens")
class M156(_Encoder):
    def forward(self, X, mask=None):
        if not self.pre_norm:
            return self.post(X, mask)
        y = self.norm1(X)
        y = y + self.attend(y, y, y, mask)
        z = self.norm2(y)
        return z + self.mlp(z)


@mistake("TransformerLayer", "nothing runs past the MLP", named="without the residual connection around the MLP")
class M158(_Encoder):
    def forward(self, X, mask=None):
        if self.pre_norm:
            y = self.norm1(X)
            X = X + self.attend(y, y, y, mask)
            return self.mlp(self.norm2(X))
        X = self.norm1(X + self.attend(X, X, X, mask))
        return self.norm2(self.mlp(X))


@mistake("TransformerLayer", "the MLP's result added to the layer's input", named="starts at the layer's input")
class M159(_Encoder):
    def forward(self, X, mask=None):
        if not self.pre_norm:
            return self.post(X, mask)
        y = self.norm1(X)
        z = X + self.attend(y, y, y, mask)
        return X + self.mlp(self.norm2(z))


@mistake("TransformerLayer", "norm2 not used", named="an MLP that is fed the tokens without their LayerNorm")
class M161(_Encoder):
    def forward(self, X, mask=None):
        if not self.pre_norm:
            return self.post(X, mask)
        y = self.norm1(X)
        z = X + self.attend(y, y, y, mask)
        return z + self.mlp(z)


@mistake("TransformerLayer", "only the queries normalised", named="whose queries are normalised while its keys and values are not")
class M162(_Encoder):
    def forward(self, X, mask=None):
        if not self.pre_norm:
            return self.post(X, mask)
        X = X + self.attend(self.norm1(X), X, X, mask)
        return X + self.mlp(self.norm2(X))


@mistake("TransformerLayer", "the MLP first", named="the MLP before attention")
class M164(_Encoder):
    def forward(self, X, mask=None):
        if self.pre_norm:
            X = X + self.mlp(self.norm2(X))
            y = self.norm1(X)
            return X + self.attend(y, y, y, mask)
        X = self.norm2(X + self.mlp(X))
        return self.norm1(X + self.attend(X, X, X, mask))


@mistake("TransformerLayer", "a causal mask of its own where none is given", named="always causal")
class M167(_Encoder):
    def forward(self, X, mask=None):
        if mask is None:
            mask = torch.ones(X.shape[-2], X.shape[-2]).tril().bool()
        if not self.pre_norm:
            return self.post(X, mask)
        y = self.norm1(X)
        X = X + self.attend(y, y, y, mask)
        return X + self.mlp(self.norm2(X))


@mistake("TransformerLayer", "x += …", named="adds to its input in place")
class M168(_Encoder):
    def forward(self, X, mask=None):
        if not self.pre_norm:
            return self.post(X, mask)
        y = self.norm1(X)
        X += self.attend(y, y, y, mask)
        X += self.mlp(self.norm2(X))
        return X


@mistake("TransformerLayer", "attention's result written over x before the sum", named="x + x")
class M170(_Encoder):
    def forward(self, X, mask=None):
        if not self.pre_norm:
            return self.post(X, mask)
        y = self.norm1(X)
        X = self.attend(y, y, y, mask)
        X = X + X
        return X + self.mlp(self.norm2(X))


@mistake("TransformerLayer", "the MLP never called", named="a layer without its MLP")
class M171(_Encoder):
    def forward(self, X, mask=None):
        if not self.pre_norm:
            return self.norm1(X + self.attend(X, X, X, mask))
        y = self.norm1(X)
        return X + self.attend(y, y, y, mask)


@mistake("TransformerLayer", "pre-norm whatever is asked", named="the pre-norm layer, whatever pre_norm says")
class M172(_Encoder):
    def forward(self, X, mask=None):
        y = self.norm1(X)
        X = X + self.attend(y, y, y, mask)
        return X + self.mlp(self.norm2(X))


@mistake("TransformerLayer", "post-norm without norm2", named="without the second LayerNorm")
class M174(_Encoder):
    def forward(self, X, mask=None):
        if self.pre_norm:
            y = self.norm1(X)
            X = X + self.attend(y, y, y, mask)
            return X + self.mlp(self.norm2(X))
        X = self.norm1(X + self.attend(X, X, X, mask))
        return X + self.mlp(X)


@mistake("TransformerLayer", "F.dropout, which is not told of eval mode", hinted="although there is no dropout")
class M193(_Encoder):
    def forward(self, X, mask=None):
        if self.pre_norm:
            y = self.norm1(X)
            X = X + F.dropout(self.attend(y, y, y, mask), 0.1)
            return X + F.dropout(self.mlp(self.norm2(X)), 0.1)
        X = self.norm1(X + F.dropout(self.attend(X, X, X, mask), 0.1))
        return self.norm2(X + F.dropout(self.mlp(X), 0.1))


class _Decoder(nn.Module):
    """The constructor that the stub gives, and self-attention under a mask."""

    def __init__(self, D, H):
        super().__init__()
        self.H = H
        self.self_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.cross_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(D), nn.LayerNorm(D), nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def closed(self, X, mask):
        if mask is None:
            return None
        closed = ~mask.expand(*X.shape[:-2], X.shape[-2], X.shape[-2])
        return closed if X.dim() == 2 else closed.repeat_interleave(self.H, 0)


@mistake("DecoderLayer", "the causal mask in both attentions", named="a causal mask on the cross-attention too")
class M177(_Decoder):
    def forward(self, X, memory, mask=None):
        y = self.norm1(X)
        X = X + self.self_attention(y, y, y, attn_mask=self.closed(X, mask))[0]
        future = None if mask is None else torch.ones(X.shape[-2], memory.shape[-2]).triu(1).bool()
        X = X + self.cross_attention(self.norm2(X), memory, memory, attn_mask=future)[0]
        return X + self.mlp(self.norm3(X))


@mistake("DecoderLayer", "self-attention without the mask", named="a mask that was taken and never passed on")
class M178(_Decoder):
    def forward(self, X, memory, mask=None):
        y = self.norm1(X)
        X = X + self.self_attention(y, y, y)[0]
        X = X + self.cross_attention(self.norm2(X), memory, memory)[0]
        return X + self.mlp(self.norm3(X))


@mistake("DecoderLayer", "nothing runs past the cross-attention", named="without the residual connection around the cross-attention")
class M181(_Decoder):
    def forward(self, X, memory, mask=None):
        y = self.norm1(X)
        X = X + self.self_attention(y, y, y, attn_mask=self.closed(X, mask))[0]
        X = self.cross_attention(self.norm2(X), memory, memory)[0]
        return X + self.mlp(self.norm3(X))


@mistake("DecoderLayer", "the cross-attention first", named="cross-attention before self-attention")
class M182(_Decoder):
    def forward(self, X, memory, mask=None):
        X = X + self.cross_attention(self.norm2(X), memory, memory)[0]
        y = self.norm1(X)
        X = X + self.self_attention(y, y, y, attn_mask=self.closed(X, mask))[0]
        return X + self.mlp(self.norm3(X))


@mistake("DecoderLayer", "self_attention called twice", named="one attention module for both")
class M183(_Decoder):
    def forward(self, X, memory, mask=None):
        y = self.norm1(X)
        X = X + self.self_attention(y, y, y, attn_mask=self.closed(X, mask))[0]
        X = X + self.self_attention(self.norm2(X), memory, memory)[0]
        return X + self.mlp(self.norm3(X))


@variant("TransformerLayer", "torch's own layer, fed with the weights", remark="TransformerEncoderLayer")
class V045(_Encoder):
    def forward(self, X, mask=None):
        D = X.shape[-1]
        layer = nn.TransformerEncoderLayer(D, self.H, 4 * D, 0.0, batch_first=True, norm_first=self.pre_norm).to(X.dtype).train()
        layer.self_attn, layer.norm1, layer.norm2 = self.attention, self.norm1, self.norm2
        layer.linear1, layer.linear2 = self.mlp[0], self.mlp[2]
        layer._sa_block = lambda x, *args, **kwargs: self.attend(x, x, x, mask)
        return layer(X)


@variant("TransformerLayer", "a dropout of 0")
class V046(_Encoder):
    def __init__(self, D, H, pre_norm=True):
        super().__init__(D, H, pre_norm)
        self.dropout = nn.Dropout(0.0)

    def forward(self, X, mask=None):
        if not self.pre_norm:
            return self.dropout(self.post(X, mask))
        y = self.norm1(X)
        X = X + self.dropout(self.attend(y, y, y, mask))
        return X + self.dropout(self.mlp(self.norm2(X)))
