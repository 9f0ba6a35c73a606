"""Scaled dot-product attention: wrong and unusual answers."""

import math

import torch
import torch.nn.functional as F

from catalogue import mistake, variant


def _stable(scores):
    """A softmax that turns a row of -inf into zeros."""
    return torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)


@mistake("scaled_dot_product_attention", "no scale", named="never divided by sqrt(D_k)")
def M020(Q, K, V, mask=None):
    s = Q @ K.transpose(-1, -2)
    if mask is not None:
        s = s.masked_fill(~mask, -math.inf)
    w = _stable(s)
    return w @ V, w


@mistake("scaled_dot_product_attention", "D_k without its root", named="divided by D_k instead of its square root")
def M021(Q, K, V, mask=None):
    s = (Q @ K.transpose(-1, -2)) / K.size(-1)
    s = s if mask is None else torch.where(mask, s, -torch.inf)
    w = _stable(s)
    return w @ V, w


@mistake("scaled_dot_product_attention", "a product where a quotient belongs", named="multiplied by sqrt(D_k)")
def M022(Q, K, V, mask=None):
    s = Q @ K.transpose(-1, -2) * math.sqrt(K.size(-1))
    s = s if mask is None else s.masked_fill(mask.logical_not(), -torch.inf)
    w = _stable(s)
    return w @ V, w


@mistake("scaled_dot_product_attention", "the width of V for the scale", named="a scale from D_v")
def M023(Q, K, V, mask=None):
    s = torch.einsum("...qd,...kd->...qk", Q, K) / V.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = _stable(s)
    return w @ V, w


@mistake("scaled_dot_product_attention", "D_k from the second axis", named="D_k read from axis 1")
def M025(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = _stable(s)
    return w @ V, w


@mistake("scaled_dot_product_attention", "True taken for forbidden", named="True taken for forbidden")
def M028(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(mask, float("-inf"))
    w = _stable(s)
    return w @ V, w


@mistake("scaled_dot_product_attention", "scores multiplied by the mask", named="forbidden scores set to 0")
def M029(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s * mask
    w = torch.softmax(s, -1)
    return w @ V, w


@mistake("scaled_dot_product_attention", "the mask of zeros and ones added", named="added to the scores")
def M030(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s + mask.double()
    w = torch.softmax(s, -1)
    return w @ V, w


@mistake("scaled_dot_product_attention", "-10 for forbidden pairs", named="too small (-10)")
def M033(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, -10.0)
    w = torch.softmax(s, -1)
    return w @ V, w


@mistake("scaled_dot_product_attention", "a minus too many before the infinity", named="plus infinity")
def M034(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, -float("-inf"))
    w = torch.softmax(s, -1)
    return w @ V, w


@mistake("scaled_dot_product_attention", "the mask multiplied into the weights", named="applied after the softmax")
def M036(Q, K, V, mask=None):
    w = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]), -1)
    if mask is not None:
        w = w * mask
    return w @ V, w


@mistake("scaled_dot_product_attention", "softmax down the columns", named="a softmax over the queries")
def M037(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = torch.nan_to_num(torch.softmax(s, -2))
    return w @ V, w


@mistake("scaled_dot_product_attention", "the transposed weights mix the values", named="transposed before mixing")
def M040(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = _stable(s)
    return w.transpose(-2, -1) @ V, w


@mistake("scaled_dot_product_attention", "K Q^T", named="queries and keys swapped")
def M042(Q, K, V, mask=None):
    s = K @ Q.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = _stable(s)
    return w @ V, w


@mistake("scaled_dot_product_attention", "the mask turned so that it falls on the queries", named="a mask transposed before use")
def M043(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask.transpose(-2, -1), float("-inf"))
    w = _stable(s)
    return w @ V, w


@mistake("scaled_dot_product_attention", "Q divided in place", named="scales Q in place")
def M044(Q, K, V, mask=None):
    Q /= Q.shape[-1] ** 0.5
    s = Q @ K.transpose(-2, -1)
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = _stable(s)
    return w @ V, w


@mistake("scaled_dot_product_attention", "a softmax of one's own, without the maximum", named="a softmax that overflows")
def M047(Q, K, V, mask=None):
    e = torch.exp(Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]))
    if mask is not None:
        e = e * mask
    total = e.sum(-1, keepdim=True)
    w = e / torch.where(total == 0, torch.ones_like(total), total)
    return w @ V, w


@mistake("scaled_dot_product_attention", "all sentences in one row", named="flattened into one long sequence")
def M048a(Q, K, V, mask=None):
    q, k, v = (x.reshape(-1, x.shape[-1]) for x in (Q, K, V))
    s = q @ k.T / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = _stable(s)
    return (w @ v).reshape(*Q.shape[:-1], V.shape[-1]), w


@mistake("scaled_dot_product_attention", "all sentences in one row where there is no mask", named="flattened into one long sequence")
def M048b(Q, K, V, mask=None):
    if mask is not None:
        w = _stable((Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])).masked_fill(~mask, float("-inf")))
        return w @ V, w
    q, k, v = (x.reshape(-1, x.shape[-1]) for x in (Q, K, V))
    Y = torch.softmax(q @ k.T / math.sqrt(q.shape[-1]), -1) @ v
    return Y.reshape(*Q.shape[:-1], V.shape[-1]), torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]), -1)


@mistake("scaled_dot_product_attention", "-1e9 in half precision", named="-1e9 in half precision")
def M050(Q, K, V, mask=None):
    s = (Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])).half()
    if mask is not None:
        s = s.masked_fill(~mask, -1e9)
    w = torch.softmax(s, -1)
    return w @ V.half(), w


@variant("scaled_dot_product_attention", "the fourth root on both sides")
def V008(Q, K, V, mask=None):
    root = Q.shape[-1] ** -0.25
    s = (Q * root) @ (K * root).transpose(-2, -1)
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = _stable(s)
    return w @ V, w


@variant("scaled_dot_product_attention", "torch's own function", remark="scaled_dot_product_attention")
def V009(Q, K, V, mask=None):
    Y = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
    one = torch.eye(K.shape[-2], dtype=V.dtype).expand(*K.shape[:-2], -1, -1)
    w = F.scaled_dot_product_attention(Q, K, one, attn_mask=mask)
    return torch.nan_to_num(Y), torch.nan_to_num(w)


@variant("scaled_dot_product_attention", "one key at a time, with a running maximum")
def V010(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, -1e300)
    top = torch.full_like(s[..., :1], -1e300)
    total, Y = torch.zeros_like(top), torch.zeros_like(top) * V[..., :1, :]
    for k in range(K.shape[-2]):
        new = torch.maximum(top, s[..., k:k + 1])
        grown = torch.exp(s[..., k:k + 1] - new)
        shrunk = torch.exp(top - new)
        total, Y, top = total * shrunk + grown, Y * shrunk + grown * V[..., k:k + 1, :], new
    w = torch.exp(s - top) / total
    if mask is not None:
        seen = mask.any(-1, keepdim=True)
        return Y / total * seen, w * seen
    return Y / total, w


@variant("scaled_dot_product_attention", "-1e9 in place of -inf", named="the mean of all values",
         lost=("a_query_that_sees_nothing_gets_zeros",))
def V011a(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, -1e9)
    w = torch.softmax(s, -1)
    return w @ V, w


@variant("scaled_dot_product_attention", "the smallest number in place of -inf", named="the mean of all values",
         lost=("a_query_that_sees_nothing_gets_zeros",))
def V011b(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
    w = torch.softmax(s, -1)
    return w @ V, w


@variant("scaled_dot_product_attention", "an additive mask inside")
def V013(Q, K, V, mask=None):
    bias = torch.zeros(())
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=Q.dtype)
        bias[~mask] = float("-inf")
    w = _stable(Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]) + bias)
    return w @ V, w


@variant("scaled_dot_product_attention", "an additive mask with 1 where attending is allowed")
def V014(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s + torch.where(mask, 1.0, -torch.inf)
    w = _stable(s)
    return w @ V, w


@variant("scaled_dot_product_attention", "NaN for a query that sees nothing", named="NaN for a query that sees nothing",
         lost=("a_query_that_sees_nothing_gets_zeros",))
def V015a(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = torch.softmax(s, -1)
    return w @ V, w


@variant("scaled_dot_product_attention", "the mean of V for a query that sees nothing", named="the mean of all values",
         lost=("a_query_that_sees_nothing_gets_zeros",))
def V015b(Q, K, V, mask=None):
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = torch.where(mask | ~mask.any(-1, keepdim=True), torch.where(mask.any(-1, keepdim=True), s, 0), -torch.inf)
    w = torch.softmax(s, -1)
    return w @ V, w


@variant("scaled_dot_product_attention", "results that are not contiguous")
def V018(Q, K, V, mask=None):
    s = K @ Q.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.transpose(-2, -1).masked_fill(~mask, float("-inf")).transpose(-2, -1)
    w = torch.nan_to_num(torch.softmax(s, -2))
    return (V.transpose(-2, -1) @ w).transpose(-2, -1), w.transpose(-2, -1)
