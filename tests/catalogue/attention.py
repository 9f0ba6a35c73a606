"""Softmax, attention without parameters and masks: wrong and unusual answers."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from catalogue import mistake, variant


@mistake("softmax", "dim is never looked at", named="the last axis whatever `dim` says")
def M002(Z, dim=-1):
    top, _ = torch.max(Z, -1, keepdim=True)
    e = (Z - top).exp()
    return e / e.sum(-1, keepdim=True)


@mistake("softmax", "the default axis is 0", named="along the first axis by default")
def M003(Z, dim=0):
    e = torch.exp(Z - torch.max(Z, dim=dim, keepdim=True)[0])
    return e / torch.sum(e, dim=dim, keepdim=True)


@mistake("softmax", "the maximum of the whole tensor", named="one maximum for the whole tensor")
def M005(Z, dim=-1):
    shifted = Z - Z.max()
    return shifted.exp() / shifted.exp().sum(dim, keepdim=True)


@mistake("softmax", "keepdim forgotten in the sum", named="keepdim missing")
def M006(Z, dim=-1):
    e = torch.exp(Z - Z.max(dim, keepdim=True).values)
    return e / e.sum(dim)


@mistake("softmax", "numbers moved to start at 0 and divided by their sum", named="a linear normalisation")
def M010(Z, dim=-1):
    positive = Z - torch.min(Z, dim=dim, keepdim=True).values
    return positive / positive.sum(dim=dim, keepdim=True)


@mistake("simple_attention", "alpha transposed for the mixing", named="weights that were transposed")
def M014(X):
    alpha = torch.softmax(torch.matmul(X, X.transpose(-1, -2)), dim=-1)
    Y = torch.matmul(alpha.transpose(-1, -2), X)
    return Y, alpha


@mistake("simple_attention", "features compared with features", named="between features")
def M015(X):
    alpha = F.softmax(X.transpose(-1, -2) @ X, dim=-1)
    return X @ alpha, alpha


@mistake("simple_attention", "the scale of the next exercise", named="divided by sqrt(D)")
def M016(X):
    D = X.size(-1)
    alpha = F.softmax(X @ X.transpose(-1, -2) / math.sqrt(D), dim=-1)
    return alpha @ X, alpha


@mistake("simple_attention", "no softmax at all", named="without the softmax")
def M017(X):
    S = torch.einsum("...id,...jd->...ij", X, X)
    return S @ X, S


@mistake("causal_mask", "the diagonal left out", named="without its diagonal")
def M051(N):
    return torch.tril(torch.ones(N, N), diagonal=-1).bool()


@mistake("causal_mask", "True where attending is forbidden", named="True means blocked")
def M054(N):
    return torch.triu(torch.ones((N, N), dtype=torch.bool), diagonal=1)


@mistake("causal_mask", "one query, lined up with the first key", named="a mask for one query only")
def M055(N):
    return torch.ones(1, N, dtype=torch.bool).tril()


@variant("softmax", "float32 comes back", remark="float32")
def V004(Z, dim=-1):
    e = torch.exp(Z.float() - Z.float().amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


@variant("softmax", "a loop over rows", remark="No gradient flows")
def V005(Z, dim=-1):
    moved = Z.movedim(dim, -1)
    rows = []
    for row in moved.reshape(-1, moved.shape[-1]):
        e = [math.exp(float(z) - float(row.max())) for z in row]
        rows.append([x / sum(e) for x in e])
    return torch.tensor(rows, dtype=Z.dtype).reshape(moved.shape).movedim(-1, dim)


@variant("softmax", "NumPy inside, so that no gradient flows; nobody trains through it here", remark="No gradient flows")
def M011b(Z, dim=-1):
    z = Z.detach().numpy()
    e = np.exp(z - z.max(axis=dim, keepdims=True))
    return torch.from_numpy(e / e.sum(axis=dim, keepdims=True))


@variant("causal_mask", "places compared")
def V016a(N):
    n = torch.arange(N)
    return n[:, None] >= n[None, :]


@variant("causal_mask", "zeros and ones of another type", remark="torch.uint8")
def V016b(N):
    return torch.tril(torch.ones(N, N, dtype=torch.uint8))
