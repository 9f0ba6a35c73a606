"""Staff half of the exercise `scaled_dot_product_attention`: reference, alternates, misconceptions, hidden checks."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.attention.scaled_dot_product_attention import (a_masked_key_is_as_good_as_absent,
                                                                         a_query_that_sees_nothing_gets_zeros, exercise,
                                                                         hidden_keys_change_nothing, masked, qkv,
                                                                         rows_of_the_weights_sum_to_one,
                                                                         the_inputs_stay_as_they_were,
                                                                         the_output_mixes_the_values,
                                                                         weights_follow_the_scaled_scores)
from autograder.strategies import fillers, leading, sizes


@exercise.solution
def scaled_dot_product_attention(Q, K, V, mask=None):
    """Scaled dot-product attention: Y = softmax(Q K^T / sqrt(D_k)) V.

    Q: float64 tensor ... x N_q x D_k. K: ... x N_kv x D_k. V: ... x N_kv x D_v. Any number of leading batch dimensions.
    mask: None, or booleans that broadcast against ... x N_q x N_kv; True where attending is allowed.
    A query that may attend to nothing gets weights of 0 and an output of 0.
    Returns (Y, alpha): the outputs ... x N_q x D_v and the weights ... x N_q x N_kv.
    """
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    highest = scores.amax(dim=-1, keepdim=True)
    highest = torch.where(torch.isinf(highest), 0.0, highest)
    weights = torch.exp(scores - highest)
    total = weights.sum(dim=-1, keepdim=True)
    alpha = weights / torch.where(total == 0, 1.0, total)
    return alpha @ V, alpha


exercise.equivalent("scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]) "
                    "-> scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])",
                    because="queries and keys have the same width D_k")
exercise.equivalent("highest = torch.where(torch.isinf(highest), 0.0, highest) "
                    "-> highest = torch.where(torch.isinf(highest), 1.0, highest)",
                    because="in a row of -inf alone any finite number may be subtracted: exp(-inf) is 0")
exercise.equivalent("alpha = weights / torch.where(total == 0, 1.0, total) -> alpha = weights / torch.where(total == 0, 2.0, total)",
                    because="where the total is 0 all weights are 0, and 0 over any number but 0 is 0")
exercise.equivalent("alpha = weights / torch.where(total == 0, 1.0, total) -> alpha = weights / torch.where(total == 0, 0.5, total)",
                    because="where the total is 0 all weights are 0, and 0 over any number but 0 is 0")


@exercise.hidden_check(points=2, hint="Compare with the formula on one query and two keys, with D_v different from D_k; then on a batch.",
                       kept="weighs the formula as a whole: the weights of a wrong scale pass most public checks and must not keep "
                            "most of the points")
@given(qkv())
def agrees_with_the_reference(student, q_k_v):
    """Agrees with the reference for N_q != N_kv and D_v != D_k, with none, one and two batch dimensions."""
    Y, alpha = student(*q_k_v)
    Y_ref, alpha_ref = scaled_dot_product_attention(*q_k_v)
    assert_close(alpha, alpha_ref, what="alpha")
    assert_close(Y, Y_ref, what="Y")


@exercise.hidden_check(points=1.5, hint="Try a mask that differs between queries, one that differs between batch elements, one of shape 1 x N_kv; and "
                                "with two leading dimensions one that has all four axes or the last three.",
                       kept="the only one that holds alpha and Y under a mask against the formula, number by number; the public checks"
                            " ask for zeros, sums and no leaks")
@given(st.one_of(masked(), masked(batch=st.sampled_from([(3, 2), (1, 3), (2, 2)]))))
def agrees_under_a_mask(student, case):
    """Agrees with the reference under masks of every broadcastable shape."""
    Y, alpha = student(*case)
    Y_ref, alpha_ref = scaled_dot_product_attention(*case)
    assert_close(alpha, alpha_ref, what="alpha under a mask")
    assert_close(Y, Y_ref, what="Y under a mask")


@st.composite
def large_scores(draw):
    """Scores of several hundred and more, each row with one clear winner, so that rounding plays no part."""
    N_q, N_kv = draw(sizes(1, 4)), draw(sizes(2, 4))
    direction = torch.tensor(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=4, max_size=4)), dtype=torch.float64)
    levels = torch.tensor(draw(st.permutations(range(1, N_kv + 1))), dtype=torch.float64)
    signs = torch.tensor([1.0 if n % 2 == 0 else -1.0 for n in range(N_q)], dtype=torch.float64)
    V, = draw(fillers())((N_kv, 3))
    return 30 * signs[:, None] * direction, 30 * levels[:, None] * direction, V


@exercise.hidden_check(points=1, examples=12, hint="exp(800.) overflows. What does a softmax subtract first?")
@given(large_scores())
def large_scores_do_not_overflow(student, q_k_v):
    """Scores of several hundred give finite weights, the right ones."""
    Y, alpha = student(*q_k_v)
    Y_ref, alpha_ref = scaled_dot_product_attention(*q_k_v)
    assert_close(alpha, alpha_ref, what="alpha at large scores")
    assert_close(Y, Y_ref, what="Y at large scores")


@st.composite
def forbidden_winner(draw):
    """Attention to 2 to 4 keys, one of which would win by 40 to 80 and is forbidden to some queries; all scores are exact in float32.

    The scores of the others lie near 0 or near -1200.
    """
    N_q, N_kv = draw(sizes(1, 4)), draw(sizes(2, 4))
    direction = torch.tensor(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=4, max_size=4)), dtype=torch.float64)
    levels = torch.tensor(draw(st.lists(st.sampled_from([-0.5, 0.0, 0.5]), min_size=N_kv, max_size=N_kv)), dtype=torch.float64)
    levels += draw(st.sampled_from([0.0, -600.0]))
    winner = draw(st.integers(0, N_kv - 1))
    levels[winner] += draw(st.sampled_from([21.0, 30.0, 39.0]))
    mask = torch.ones(N_q, N_kv, dtype=torch.bool)
    mask[:draw(st.integers(1, N_q)), winner] = False
    V, = draw(fillers())((N_kv, 3))
    return direction.expand(N_q, 4).contiguous(), levels[:, None] * direction, V, mask


@exercise.hidden_check(points=0.5, examples=12, hint="Give one query two keys, the scores 50 and 0, and forbid the first: the second must "
                                                     "get the weight 1. What is left of it if the softmax has seen the first? And if the "
                                                     "second score is -1200: does what you put in the place of the first lie below it?")
@given(forbidden_winner())
def a_forbidden_key_cannot_win(student, case):
    """A forbidden key leaves nothing behind, however far its score lies above the others."""
    Y, alpha = student(*case)
    Y_ref, alpha_ref = scaled_dot_product_attention(*case)
    assert_close(alpha, alpha_ref, what="alpha where a large score is forbidden")
    assert_close(Y, Y_ref, what="Y where a large score is forbidden")


@exercise.hidden_check(points=0.5, examples=6, hint="Does something inside cut or bend the gradient (detach, no_grad, .data, rounding)?")
@given(masked(batch=leading(1)), fillers(("normal",)))
def the_gradient_is_right(student, case, filler):
    """Where gradients flow through Y, they are those of the formula with respect to Q, K and V, with a mask and without."""
    Q, K, V, mask = case
    cotangent, = filler((*Q.shape[:-1], V.shape[-1]))
    for args in ((Q, K, V), (Q, K, V, mask)):
        assert_close(student(*args)[0], scaled_dot_product_attention(*args)[0], what="Y")
        got = student.vjp((cotangent, None), *args)
        if got is not None:
            for name, mine, theirs in zip("QKV", got, scaled_dot_product_attention.vjp((cotangent, None), *args)):
                assert_close(mine, theirs, what=f"the gradient with respect to {name}")


def _attend(scores, V, mask=None, fill=float("-inf"), dim=-1):
    """Softmax of masked scores with a guard for empty rows: the common part of the answers below."""
    if mask is not None:
        scores = scores.masked_fill(mask == 0, fill)
    alpha = torch.softmax(scores, dim)
    alpha = torch.where(torch.isnan(alpha) & torch.isneginf(scores), 0.0, alpha)
    return alpha @ V, alpha


def _scores(Q, K):
    return Q @ K.mT / math.sqrt(Q.shape[-1])


@exercise.alternate
def with_einsum(Q, K, V, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", Q, K) * Q.shape[-1] ** -0.5
    alpha = torch.softmax(scores if mask is None else torch.where(mask.bool(), scores, -torch.inf), -1).nan_to_num(0.0)
    return torch.einsum("...qk,...kd->...qd", alpha, V), alpha


@exercise.alternate
def scale_split_over_both(Q, K, V, mask=None):
    root = Q.shape[-1] ** 0.25
    return _attend((Q / root) @ (K / root).mT, V, mask)


@exercise.alternate
def query_by_query(Q, K, V, mask=None):
    if mask is not None:
        mask = mask.bool().expand(*Q.shape[:-1], K.shape[-2])
    outputs, weights = [], []
    for n in range(Q.shape[-2]):
        s = (K * Q[..., n:n + 1, :]).sum(-1) / Q.shape[-1] ** 0.5
        e = torch.exp(s - s.amax(-1, keepdim=True))
        if mask is not None:
            s = s.masked_fill(~mask[..., n, :], -torch.inf)
            top = s.amax(-1, keepdim=True)
            e = torch.exp(s - torch.where(top.isinf(), torch.zeros_like(top), top))
        total = e.sum(-1, keepdim=True)
        a = torch.where(total > 0, e / total.clamp(min=1e-300), torch.zeros_like(e))
        weights.append(a)
        outputs.append((a[..., None, :] @ V)[..., 0, :])
    return [torch.stack(outputs, -2), torch.stack(weights, -2)]


@exercise.alternate
def mask_multiplied_and_renormalised(Q, K, V, mask=None):
    s = _scores(Q, K)
    m = torch.ones_like(s) if mask is None else mask.to(s.dtype).expand(s.shape)
    top = s.masked_fill(m == 0, -torch.inf).amax(-1, keepdim=True)
    e = torch.exp((s - torch.where(top.isinf(), torch.zeros_like(top), top)).masked_fill(m == 0, -torch.inf))
    total = e.sum(-1, keepdim=True)
    alpha = e / (total + (total == 0))
    return alpha @ V, alpha


@exercise.alternate
def in_two_steps(Q, K, V, mask=None):
    return _attend(_scores(Q, K), V, mask)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(weights_follow_the_scaled_scores, "scores that were never divided by sqrt(D_k)")
def without_the_scale(Q, K, V, mask=None):
    return _attend(Q @ K.mT, V, mask)


@_wrong(weights_follow_the_scaled_scores, "scores divided by D_k instead of its square root")
def divided_by_D_k(Q, K, V, mask=None):
    return _attend(Q @ K.mT / Q.shape[-1], V, mask)


@_wrong(weights_follow_the_scaled_scores, "scores multiplied by sqrt(D_k) instead of divided")
def multiplied_by_the_root(Q, K, V, mask=None):
    return _attend(Q @ K.mT * math.sqrt(Q.shape[-1]), V, mask)


@_wrong(weights_follow_the_scaled_scores, "a scale from D_v, the width of the values, instead of D_k")
def scale_from_the_values(Q, K, V, mask=None):
    return _attend(Q @ K.mT / math.sqrt(V.shape[-1]), V, mask)


@_wrong(weights_follow_the_scaled_scores, "a scale from the number of keys instead of D_k")
def scale_from_the_keys(Q, K, V, mask=None):
    return _attend(Q @ K.mT / math.sqrt(K.shape[-2]), V, mask)


@_wrong(weights_follow_the_scaled_scores, "D_k read from axis 1, which is right without a batch and wrong with one")
def width_from_axis_one(Q, K, V, mask=None):
    return _attend(Q @ K.mT / math.sqrt(Q.shape[1]), V, mask)


@_wrong(weights_follow_the_scaled_scores, "a scale applied after the softmax (temperature on the weights), not to the scores")
def scale_after_the_softmax(Q, K, V, mask=None):
    Y, alpha = _attend(Q @ K.mT, V, mask)
    return Y / math.sqrt(Q.shape[-1]), alpha / math.sqrt(Q.shape[-1])


@_wrong(a_masked_key_is_as_good_as_absent,
        "a mask read the other way round: True taken for forbidden "
        "(legitimate elsewhere; here True means that attending is allowed)")
def mask_inverted(Q, K, V, mask=None):
    return _attend(_scores(Q, K), V, None if mask is None else mask == 0)


@_wrong(a_masked_key_is_as_good_as_absent, "forbidden scores set to 0 (multiplied by the mask, or filled with 0): a score of 0 still gets weight")
def mask_times_scores(Q, K, V, mask=None):
    s = _scores(Q, K)
    return _attend(s if mask is None else s * mask, V)


@_wrong(a_masked_key_is_as_good_as_absent, "a boolean mask added to the scores, which only nudges them by 1")
def mask_added(Q, K, V, mask=None):
    s = _scores(Q, K)
    return _attend(s if mask is None else s + mask.to(s.dtype), V)


@_wrong(a_masked_key_is_as_good_as_absent, "a fill value that is too small (-10): the masked keys leak")
def mask_leaks(Q, K, V, mask=None):
    return _attend(_scores(Q, K), V, mask, fill=-10.0)


@_wrong(a_masked_key_is_as_good_as_absent, "plus infinity for forbidden scores, which swallows the row")
def mask_plus_infinity(Q, K, V, mask=None):
    return _attend(_scores(Q, K), V, mask, fill=float("inf"))


@_wrong(a_masked_key_is_as_good_as_absent, "a mask applied after the softmax, without normalising again")
def mask_after_the_softmax(Q, K, V, mask=None):
    alpha = torch.softmax(_scores(Q, K), -1)
    alpha = alpha if mask is None else alpha * mask
    return alpha @ V, alpha


@_wrong(a_masked_key_is_as_good_as_absent, "a mask that was taken and never used")
def mask_ignored(Q, K, V, mask=None):
    return _attend(_scores(Q, K), V)


@_wrong(a_masked_key_is_as_good_as_absent, "a mask that blanks whole queries (rows) instead of keys (columns)")
def mask_on_the_queries(Q, K, V, mask=None):
    if mask is not None:
        mask = mask.any(-1, keepdim=True) & mask[..., :1]
    return _attend(_scores(Q, K), V, mask)


@_wrong(a_masked_key_is_as_good_as_absent, "a mask transposed before use")
def mask_transposed(Q, K, V, mask=None):
    return _attend(_scores(Q, K), V, None if mask is None else mask.mT)


@_wrong(agrees_under_a_mask, "the first batch element's mask used for all")
def mask_of_the_first(Q, K, V, mask=None):
    while mask is not None and mask.dim() > 2:
        mask = mask[0]
    return _attend(_scores(Q, K), V, mask)


@_wrong(hidden_keys_change_nothing, "weights that are masked and output that is not")
def mask_on_the_weights_only(Q, K, V, mask=None):
    return _attend(_scores(Q, K), V)[0], _attend(_scores(Q, K), V, mask)[1]


@_wrong(rows_of_the_weights_sum_to_one, "a softmax over the queries: columns sum to 1 instead of rows")
def softmax_over_the_queries(Q, K, V, mask=None):
    return _attend(_scores(Q, K), V, mask, dim=-2)


@_wrong(rows_of_the_weights_sum_to_one, "a softmax over queries and keys together")
def softmax_over_everything(Q, K, V, mask=None):
    s = _scores(Q, K)
    s = s if mask is None else s.masked_fill(mask == 0, -1e9)
    alpha = torch.softmax(s.flatten(-2), -1).reshape(s.shape)
    return alpha @ V, alpha


@_wrong(rows_of_the_weights_sum_to_one, "scores used as weights, without the softmax")
def no_softmax(Q, K, V, mask=None):
    s = _scores(Q, K)
    s = s if mask is None else s.masked_fill(mask == 0, 0.0)
    return s @ V, s


@_wrong(the_output_mixes_the_values, "weights that were transposed before mixing the values")
def weights_transposed(Q, K, V, mask=None):
    _, alpha = _attend(_scores(Q, K), V, mask)
    return alpha.mT @ V, alpha


@_wrong(weights_follow_the_scaled_scores, "queries and keys swapped")
def queries_and_keys_swapped(Q, K, V, mask=None):
    return _attend(_scores(K, Q), V, mask)


@_wrong(the_output_mixes_the_values, "keys mixed instead of values")
def keys_mixed(Q, K, V, mask=None):
    return _attend(_scores(Q, K), K, mask)


@_wrong(agrees_with_the_reference, "a batch flattened into one long sequence")
def batch_flattened(Q, K, V, mask=None):
    if mask is not None:
        return _attend(_scores(Q, K), V, mask)
    flat = [x.reshape(-1, x.shape[-1]) for x in (Q, K, V)]
    Y = torch.softmax(_scores(*flat[:2]), -1) @ flat[2]
    return Y.reshape(*Q.shape[:-1], V.shape[-1]), _attend(_scores(Q, K), V)[1]


@_wrong(the_output_mixes_the_values, "a batch flattened into one long sequence")
def batch_and_weights_flattened(Q, K, V, mask=None):
    flat = [x.reshape(-1, x.shape[-1]) for x in (Q, K, V)]
    Y, alpha = _attend(_scores(*flat[:2]), flat[2], mask)
    return Y.reshape(*Q.shape[:-1], V.shape[-1]), alpha


@_wrong(agrees_with_the_reference, "the keys of the first batch element used for all")
def keys_of_the_first(Q, K, V, mask=None):
    first = K[(0,) * (K.dim() - 2)]
    return _attend(_scores(Q, first), V, mask)


@_wrong(the_inputs_stay_as_they_were, "an attention that scales Q in place")
def scales_in_place(Q, K, V, mask=None):
    Q /= math.sqrt(Q.shape[-1])
    return _attend(Q @ K.mT, V, mask)


@_wrong(large_scores_do_not_overflow, "a softmax that overflows: exp without subtracting the row's maximum")
def overflowing(Q, K, V, mask=None):
    e = torch.exp(_scores(Q, K))
    e = e if mask is None else e * mask
    total = e.sum(-1, keepdim=True)
    alpha = e / torch.where(total == 0, 1.0, total)
    return alpha @ V, alpha


@_wrong(a_query_that_sees_nothing_gets_zeros, "the mean of all values for a query that sees nothing (a large negative number instead of -inf)")
def mean_for_an_empty_row(Q, K, V, mask=None):
    s = _scores(Q, K)
    return _attend(s, V, mask, fill=torch.finfo(s.dtype).min)


@_wrong(a_query_that_sees_nothing_gets_zeros, "NaN for a query that sees nothing")
def nan_for_an_empty_row(Q, K, V, mask=None):
    s = _scores(Q, K)
    s = s if mask is None else s.masked_fill(mask == 0, -torch.inf)
    alpha = torch.softmax(s, -1)
    return alpha @ V, alpha


@_wrong(the_gradient_is_right, "weights through which no gradient flows")
def weights_detached(Q, K, V, mask=None):
    _, alpha = _attend(_scores(Q, K), V, mask)
    return alpha.detach() @ V, alpha


@_wrong(agrees_with_the_reference, "a softmax computed in half precision")
def softmax_in_half(Q, K, V, mask=None):
    s = _scores(Q, K)
    Y, alpha = _attend(s.half(), V.half(), mask)
    return Y.to(V.dtype), alpha.to(V.dtype)


@_wrong(a_masked_key_is_as_good_as_absent, "-1e9 in half precision, which ends at 65504: it raises an error, or becomes -inf")
def large_number_in_half(Q, K, V, mask=None):
    return _attend(_scores(Q, K).half(), V.half(), mask, fill=-1e9)


@_wrong(a_forbidden_key_cannot_win, "a mask applied after the softmax and weights normalised again over at least 1e-12: nothing is left to "
                                    "normalise where a forbidden key wins")
def masked_late_and_clamped(Q, K, V, mask=None):
    alpha = torch.softmax(_scores(Q, K), -1)
    if mask is not None:
        alpha = alpha * mask
        alpha = alpha / alpha.sum(-1, keepdim=True).clamp(min=1e-12)
    return alpha @ V, alpha


@_wrong(a_forbidden_key_cannot_win, "a penalty of 30 on forbidden scores, which a large score outweighs")
def penalty_of_thirty(Q, K, V, mask=None):
    s = _scores(Q, K)
    if mask is None:
        return _attend(s, V)
    alpha = torch.softmax(s - 30.0 * ~mask, -1) * mask.any(-1, keepdim=True)
    return alpha @ V, alpha


@_wrong(hidden_keys_change_nothing, "weights that were masked first, then mixed the values, and only then were normalised again")
def normalised_after_mixing(Q, K, V, mask=None):
    alpha = torch.softmax(_scores(Q, K), -1)
    alpha = alpha if mask is None else alpha * mask
    Y, total = alpha @ V, alpha.sum(-1, keepdim=True)
    return Y, alpha / torch.where(total == 0, 1.0, total)


@_wrong(agrees_under_a_mask, "a head axis put into a mask of three axes, where it should broadcast as it is")
def head_axis_inserted(Q, K, V, mask=None):
    s = _scores(Q, K)
    return _attend(s, V, mask.unsqueeze(1) if mask is not None and s.dim() == 4 and mask.dim() == 3 else mask)


@_wrong(agrees_under_a_mask, "the mask of the first head used for all of them")
def mask_of_the_first_head(Q, K, V, mask=None):
    return _attend(_scores(Q, K), V, mask[:, :1] if mask is not None and mask.dim() == 4 else mask)


@_wrong(the_inputs_stay_as_they_were, "an attention that opens the empty rows of the caller's own mask")
def empty_rows_opened(Q, K, V, mask=None):
    if mask is None:
        return _attend(_scores(Q, K), V)
    empty = ~mask.any(-1, keepdim=True)
    mask |= empty
    alpha = _attend(_scores(Q, K), V, mask)[1].masked_fill(empty, 0.0)
    return alpha @ V, alpha


@_wrong(a_forbidden_key_cannot_win, "-1000 for forbidden scores, above which allowed ones need not lie")
def minus_a_thousand(Q, K, V, mask=None):
    alpha = _attend(_scores(Q, K), V, mask, fill=-1000.0)[1]
    alpha = alpha if mask is None else alpha * mask.any(-1, keepdim=True)
    return alpha @ V, alpha


@_wrong(the_gradient_is_right, "scores that lose their gradient where there is a mask")
def scores_detached_under_a_mask(Q, K, V, mask=None):
    s = _scores(Q, K)
    return _attend(s if mask is None else s.detach(), V, mask)
