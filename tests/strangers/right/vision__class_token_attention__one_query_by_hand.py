# Unusual but right: computes the class token's query and all keys from the matrices of the last attention, head by head, without calling it.
import math

import torch
import torch.nn.functional as F


def class_token_attention(model, images):
    """How much attention the class token pays to each patch in the last layer."""
    *earlier, last = list(model.layers)
    X = model.tokens(images)
    for layer in earlier:
        X = layer(X)
    X = last.norm1(X)

    attention, H = last.attention, last.attention.num_heads
    W_q, W_k, _ = attention.in_proj_weight.chunk(3)
    b_q, b_k, _ = attention.in_proj_bias.chunk(3)
    query = F.linear(X[:, 0], W_q, b_q).chunk(H, dim=-1)       # H times B x w
    keys = F.linear(X, W_k, b_k).chunk(H, dim=-1)              # H times B x N x w
    weights = [torch.softmax(torch.einsum("bw,bnw->bn", q, k) / math.sqrt(q.shape[-1]), dim=-1) for q, k in zip(query, keys)]
    return sum(weights)[:, 1:] / H
