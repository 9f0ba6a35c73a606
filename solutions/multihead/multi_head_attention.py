"""Staff half of the exercise `multi_head_attention`: reference, alternates, misconceptions, hidden checks."""

import math

import torch
from hypothesis import given

from autograder.compare import assert_close
from autograder.exercises.multihead.multi_head_attention import (a_single_token_passes_through_values_and_W_o, any_leading_dimensions_will_do,
                                                                 equal_scores_give_the_mean, exercise, one_head_is_single_attention,
                                                                 the_inputs_stay_as_they_were, the_output_is_a_sum_over_the_heads,
                                                                 tokens_and_weights, tokens_in_another_order)
from autograder.strategies import fillers, leading, sizes


@exercise.solution
def multi_head_attention(X, W_q, W_k, W_v, W_o):
    """Multi-head self-attention, head by head (Bishop, Algorithm 12.2): Y = [head_0 ... head_(H-1)] W_o.

    X: float64 tensor ... x N x D, with any number of leading batch dimensions; no mask.
    W_q, W_k: lists of H matrices D x D_k. W_v: a list of H matrices D x D_v. W_o: one matrix H D_v x D.
    Head h is softmax(Q K^T / sqrt(D_k)) V with Q = X W_q[h], K = X W_k[h], V = X W_v[h].
    Returns Y, ... x N x D.
    """
    heads = []
    for W_q_h, W_k_h, W_v_h in zip(W_q, W_k, W_v):
        Q, K, V = X @ W_q_h, X @ W_k_h, X @ W_v_h
        alpha = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1]), dim=-1)
        heads.append(alpha @ V)
    return torch.cat(heads, dim=-1) @ W_o


exercise.equivalent("alpha = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1]), dim=-1) "
                    "-> alpha = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]), dim=-1)",
                    because="queries and keys have the same width D_k")


@exercise.hidden_check(points=2, hint="Take two heads, D_k = 2, D_v = 1 and D = 3, so that no two widths agree, and go through the formula line by "
                                      "line.",
                       kept="the whole algorithm with all widths drawn apart, up to three heads in up to four dimensions at once; the "
                            "public checks each leave something out")
@given(tokens_and_weights(leading()))
def agrees_with_algorithm_12_2(student, case):
    """Agrees with the reference for D_v != D_k, on a sentence, a batch and a batch of batches."""
    assert_close(student(*case), multi_head_attention(*case), what="Y")


@exercise.hidden_check(points=0.5, examples=6, hint="Does something inside cut or bend the gradient (detach, no_grad, .data, item, rounding)?")
@given(tokens_and_weights(leading(1), tokens=sizes(2, 3)), fillers(("normal",)))
def the_gradient_is_right(student, case, filler):
    """Where gradients flow, they are the gradients of the formula with respect to X and every matrix."""
    cotangent = filler(tuple(case[0].shape))[0] / 16  # gradients as large as the numbers they are computed from
    assert_close(student(*case), multi_head_attention(*case), what="Y")
    got = student.vjp((cotangent,), *case)
    names = ["X", *(f"{name}[{h}]" for name in ("W_q", "W_k", "W_v") for h in range(len(case[1]))), "W_o"]
    if got is not None:
        for name, mine, theirs in zip(names, got, multi_head_attention.vjp((cotangent,), *case)):
            assert_close(mine, theirs, what=f"the gradient with respect to {name}")


@exercise.alternate
def all_heads_at_once(X, W_q, W_k, W_v, W_o):
    q, k, v = (torch.einsum("...nd,hdk->...hnk", X, torch.stack(list(W))) for W in (W_q, W_k, W_v))
    alpha = torch.einsum("...hnk,...hmk->...hnm", q * q.shape[-1] ** -0.5, k).softmax(-1)
    return torch.einsum("...hnm,...hmv->...nhv", alpha, v).flatten(-2) @ W_o


@exercise.alternate
def summed_over_heads(X, W_q, W_k, W_v, W_o):
    width, Y = W_v[0].shape[1], 0
    for h in range(len(W_v)):
        scores = X @ (W_q[h] @ W_k[h].T) @ X.mT * W_k[h].shape[1] ** -0.5
        Y = Y + torch.softmax(scores, -1) @ (X @ (W_v[h] @ W_o[h * width:(h + 1) * width]))
    return Y


@exercise.alternate
def with_numpy(X, W_q, W_k, W_v, W_o):
    x, parts = X.detach().numpy(), []
    for a, b, c in zip(W_q, W_k, W_v):
        s = (x @ a.numpy()) @ (x @ b.numpy()).swapaxes(-1, -2) / a.shape[1] ** 0.5
        e = torch.from_numpy(s - s.max(-1, keepdims=True)).exp().numpy()
        parts.append(e / e.sum(-1, keepdims=True) @ (x @ c.numpy()))
    return torch.cat([torch.from_numpy(part) for part in parts], -1) @ W_o.detach()


@exercise.alternate
def in_single_precision(X, W_q, W_k, W_v, W_o):
    X, heads = X.float(), []
    for a, b, c in zip(W_q, W_k, W_v):
        q, k, v = X @ a.float(), X @ b.float(), X @ c.float()
        heads.append(torch.softmax(q @ k.mT / math.sqrt(a.shape[1]), -1) @ v)
    return torch.cat(heads, -1) @ W_o.float()


@exercise.alternate
def root_in_single_precision(X, W_q, W_k, W_v, W_o):
    root = torch.sqrt(torch.tensor(float(W_k[0].shape[-1])))
    q, k, v = (torch.stack([X @ w for w in W], 0) for W in (W_q, W_k, W_v))
    heads = torch.softmax((q / root) @ k.transpose(-2, -1), dim=-1) @ v
    return heads.movedim(0, -2).reshape(*X.shape[:-1], -1).matmul(W_o)


def _alphas(X, W_q, W_k, divisor=None, dim=-1):
    """The weights of every head, ... x N x N each."""
    return [torch.softmax((X @ a) @ (X @ b).mT / (divisor or math.sqrt(a.shape[-1])), dim) for a, b in zip(W_q, W_k)]


def _heads(X, W_q, W_k, W_v, divisor=None, dim=-1):
    """Every head, ... x N x D_v each."""
    return [alpha @ (X @ c) for alpha, c in zip(_alphas(X, W_q, W_k, divisor, dim), W_v)]


@exercise.alternate
def in_two_steps(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v), -1) @ W_o


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(tokens_in_another_order, "heads stacked and reshaped without swapping the axes back: token 0 gets pieces of other tokens")
def stacked_and_reshaped(X, W_q, W_k, W_v, W_o):
    heads = torch.stack(_heads(X, W_q, W_k, W_v), -3)
    return heads.reshape(*X.shape[:-1], -1) @ W_o


@_wrong(a_single_token_passes_through_values_and_W_o, "heads shuffled like cards before W_o: feature 0 of every head first")
def features_before_heads(X, W_q, W_k, W_v, W_o):
    return torch.stack(_heads(X, W_q, W_k, W_v), -1).flatten(-2) @ W_o


@_wrong(a_single_token_passes_through_values_and_W_o, "heads side by side in reverse order")
def heads_reversed(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v)[::-1], -1) @ W_o


@_wrong(tokens_in_another_order, "heads and batch in one axis, taken apart in the wrong order (the sentences of a batch get mixed)")
def batch_and_heads_mixed(X, W_q, W_k, W_v, W_o):
    heads = torch.cat(_heads(X, W_q, W_k, W_v), 0)
    return heads.reshape(*X.shape[:-1], -1) @ W_o


@_wrong(a_single_token_passes_through_values_and_W_o, "an output matrix W_o that was never used")
def without_W_o(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v), -1)


@_wrong(one_head_is_single_attention, "scores that were never divided by sqrt(D_k)")
def without_the_scale(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v, 1.0), -1) @ W_o


@_wrong(one_head_is_single_attention, "scores divided by sqrt(D), the width of a token, in place of sqrt(D_k), the width of a head's keys")
def scale_from_D(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v, math.sqrt(X.shape[-1])), -1) @ W_o


@_wrong(the_output_is_a_sum_over_the_heads, "scores divided by sqrt(H D_k), the width of all heads together")
def scale_from_all_heads(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v, math.sqrt(len(W_q) * W_q[0].shape[-1])), -1) @ W_o


@_wrong(the_output_is_a_sum_over_the_heads, "scores divided by sqrt(D/H), which is not sqrt(D_k) where D_k is free")
def scale_from_D_over_H(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v, math.sqrt(X.shape[-1] / len(W_q))), -1) @ W_o


@_wrong(one_head_is_single_attention, "scores divided by sqrt(D_v), the width of the values")
def scale_from_D_v(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v, math.sqrt(W_v[0].shape[-1])), -1) @ W_o


@_wrong(one_head_is_single_attention, "scores divided by D_k without the square root")
def scale_without_the_root(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v, float(W_q[0].shape[-1])), -1) @ W_o


@_wrong(a_single_token_passes_through_values_and_W_o, "values made with W_k")
def values_from_W_k(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_k), -1) @ W_o


@_wrong(one_head_is_single_attention, "keys made with W_q")
def keys_from_W_q(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_q, W_v), -1) @ W_o


@_wrong(one_head_is_single_attention, "queries and keys swapped: each token is looked at where it should look")
def queries_and_keys_swapped(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_k, W_q, W_v), -1) @ W_o


@_wrong(one_head_is_single_attention, "scores between the tokens themselves, W_q and W_k left out")
def scores_of_the_tokens(X, W_q, W_k, W_v, W_o):
    eye = torch.eye(X.shape[-1], dtype=X.dtype)
    return torch.cat(_heads(X, [eye for _ in W_q], [eye for _ in W_k], W_v, math.sqrt(W_q[0].shape[-1])), -1) @ W_o


@_wrong(a_single_token_passes_through_values_and_W_o, "matrices that were transposed (X W^T), as in nn.Linear, though they multiply from the right "
                                                      "here")
def matrices_transposed(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, [w.T for w in W_q], [w.T for w in W_k], [w.T for w in W_v]), -1) @ W_o


@_wrong(a_single_token_passes_through_values_and_W_o, "an output matrix that was transposed, though it multiplies from the right")
def W_o_transposed(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v), -1) @ W_o.T


@_wrong(a_single_token_passes_through_values_and_W_o, "the input added to the output: that is the residual connection of a whole layer")
def residual_inside(X, W_q, W_k, W_v, W_o):
    return X + torch.cat(_heads(X, W_q, W_k, W_v), -1) @ W_o


@_wrong(the_output_is_a_sum_over_the_heads, "the attention weights of the first head used by all")
def weights_of_the_first_head(X, W_q, W_k, W_v, W_o):
    alpha = _alphas(X, W_q, W_k)[0]
    return torch.cat([alpha @ (X @ c) for c in W_v], -1) @ W_o


@_wrong(the_output_is_a_sum_over_the_heads, "one attention for all heads: queries and keys of all heads together in one softmax")
def one_head_of_full_width(X, W_q, W_k, W_v, W_o):
    W_q, W_k, W_v = (torch.cat(list(W), -1) for W in (W_q, W_k, W_v))
    return torch.softmax((X @ W_q) @ (X @ W_k).mT / math.sqrt(W_q.shape[-1]), -1) @ (X @ W_v) @ W_o


@_wrong(the_output_is_a_sum_over_the_heads, "the mean of all heads' attention weights used by all")
def mean_of_the_weights(X, W_q, W_k, W_v, W_o):
    alpha = sum(_alphas(X, W_q, W_k)) / len(W_q)
    return torch.cat([alpha @ (X @ c) for c in W_v], -1) @ W_o


@_wrong(a_single_token_passes_through_values_and_W_o, "the mean of the heads repeated, where they should stand side by side")
def mean_of_the_heads(X, W_q, W_k, W_v, W_o):
    heads = _heads(X, W_q, W_k, W_v)
    return torch.cat([sum(heads) / len(heads)] * len(heads), -1) @ W_o


@_wrong(a_single_token_passes_through_values_and_W_o, "the values of the first head used by all")
def values_of_the_first_head(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, [W_v[0]] * len(W_v)), -1) @ W_o


@_wrong(a_single_token_passes_through_values_and_W_o, "the last head only: each turn of the loop overwrites the one before")
def last_head_only(X, W_q, W_k, W_v, W_o):
    heads = _heads(X, W_q, W_k, W_v)
    return heads[-1] @ W_o[-heads[-1].shape[-1]:]


@_wrong(a_single_token_passes_through_values_and_W_o, "an output divided by the number of heads")
def divided_by_the_heads(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v), -1) @ W_o / len(W_q)


@_wrong(one_head_is_single_attention, "a softmax over the queries: columns of the weights sum to 1 in place of rows")
def softmax_over_the_queries(X, W_q, W_k, W_v, W_o):
    return torch.cat(_heads(X, W_q, W_k, W_v, dim=-2), -1) @ W_o


@_wrong(a_single_token_passes_through_values_and_W_o, "a softmax over the heads: for one pair of tokens the weights of all heads sum to 1")
def softmax_over_the_heads(X, W_q, W_k, W_v, W_o):
    scores = torch.stack([(X @ a) @ (X @ b).mT / math.sqrt(a.shape[-1]) for a, b in zip(W_q, W_k)])
    return torch.cat([alpha @ (X @ c) for alpha, c in zip(torch.softmax(scores, 0), W_v)], -1) @ W_o


@_wrong(equal_scores_give_the_mean, "scores used as weights, without a softmax")
def without_softmax(X, W_q, W_k, W_v, W_o):
    scores = [(X @ a) @ (X @ b).mT / math.sqrt(a.shape[-1]) for a, b in zip(W_q, W_k)]
    return torch.cat([s @ (X @ c) for s, c in zip(scores, W_v)], -1) @ W_o


@_wrong(equal_scores_give_the_mean, "a causal mask that nobody asked for")
def causal(X, W_q, W_k, W_v, W_o):
    N, heads = X.shape[-2], []
    for a, b, c in zip(W_q, W_k, W_v):
        scores = (X @ a) @ (X @ b).mT / math.sqrt(a.shape[-1])
        heads.append(torch.softmax(scores.masked_fill(torch.ones(N, N).triu(1) > 0, -torch.inf), -1) @ (X @ c))
    return torch.cat(heads, -1) @ W_o


@_wrong(any_leading_dimensions_will_do, "an attention written for exactly three dimensions (torch.bmm)")
def three_dimensions_only(X, W_q, W_k, W_v, W_o):
    heads = [torch.bmm(alpha, X @ c) for alpha, c in zip(_alphas(X, W_q, W_k), W_v)]
    return torch.cat(heads, -1) @ W_o


@_wrong(any_leading_dimensions_will_do, "axes counted from the front, which is right only with one batch dimension")
def axes_from_the_front(X, W_q, W_k, W_v, W_o):
    heads = [torch.softmax((X @ a) @ (X @ b).transpose(1, 2) / math.sqrt(a.shape[-1]), 2) @ (X @ c) for a, b, c in zip(W_q, W_k, W_v)]
    return torch.cat(heads, 2) @ W_o


@_wrong(equal_scores_give_the_mean, "a batch flattened into one long sentence, whose tokens all see each other")
def batch_flattened(X, W_q, W_k, W_v, W_o):
    flat = X.reshape(-1, X.shape[-1])
    return (torch.cat(_heads(flat, W_q, W_k, W_v), -1) @ W_o).reshape(X.shape)


@_wrong(equal_scores_give_the_mean, "the first sentence of the batch taken for all keys and values")
def keys_of_the_first_sentence(X, W_q, W_k, W_v, W_o):
    first = X[(0,) * (X.dim() - 2)]
    heads = [torch.softmax((X @ a) @ (first @ b).mT / math.sqrt(a.shape[-1]), -1) @ (first @ c) for a, b, c in zip(W_q, W_k, W_v)]
    return torch.cat(heads, -1) @ W_o


@_wrong(the_inputs_stay_as_they_were, "an attention that divides the matrices W_q by sqrt(D_k) in place")
def scales_W_q_in_place(X, W_q, W_k, W_v, W_o):
    for w in W_q:
        w /= math.sqrt(w.shape[-1])
    return torch.cat(_heads(X, W_q, W_k, W_v, 1.0), -1) @ W_o


@_wrong(the_inputs_stay_as_they_were, "a loop that takes the matrices out of their lists (pop)")
def empties_the_lists(X, W_q, W_k, W_v, W_o):
    heads = []
    while W_q:
        heads += _heads(X, [W_q.pop(0)], [W_k.pop(0)], [W_v.pop(0)])
    return torch.cat(heads, -1) @ W_o


@_wrong(the_gradient_is_right, "weights through which no gradient flows")
def weights_detached(X, W_q, W_k, W_v, W_o):
    heads = [alpha.detach() @ (X @ c) for alpha, c in zip(_alphas(X, W_q, W_k), W_v)]
    return torch.cat(heads, -1) @ W_o


@_wrong(agrees_with_algorithm_12_2, "attention weights computed in half precision")
def weights_in_half(X, W_q, W_k, W_v, W_o):
    heads = [alpha.half().to(X.dtype) @ (X @ c) for alpha, c in zip(_alphas(X, W_q, W_k), W_v)]
    return torch.cat(heads, -1) @ W_o
