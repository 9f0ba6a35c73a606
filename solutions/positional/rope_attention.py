"""Staff half of the exercise `rope_attention`: reference, alternates, misconceptions, hidden checks."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.positional.rope_attention import (a_masked_key_gets_no_weight, a_query_that_sees_nothing_gets_zeros,
                                                            a_shift_of_all_positions_changes_nothing, batches,
                                                            equal_tokens_are_told_apart_by_their_distance, exercise, masked,
                                                            one_pair_turns_anticlockwise, the_base_is_passed_on, the_inputs_stay_as_they_were,
                                                            the_values_are_not_rotated, tokens_may_come_in_any_order)
from autograder.strategies import fillers


@exercise.solution
def rope_attention(Q, K, V, positions=None, mask=None, L=10000.0):
    """Scaled dot-product attention of N tokens with one another, queries and keys turned by RoPE first: rope(Q) rope(K)^T / sqrt(D_k).

    Q, K: float64 tensors ... x N x D_k with an even D_k. V: ... x N x D_v, which is not rotated. Any number of leading dimensions.
    positions: None, which means 0 to N - 1, or an int64 tensor of N positions, the same ones for queries and keys and the whole batch.
    mask: None, or booleans that broadcast against ... x N x N; True where attending is allowed.
    L: the base of the rotation. A query that may attend to nothing gets weights of 0 and an output of 0.
    Returns (Y, alpha): the outputs ... x N x D_v and the weights ... x N x N.
    """
    N, D_k = Q.shape[-2:]
    n = torch.arange(N) if positions is None else positions
    angles = n.to(torch.float64).unsqueeze(-1) * L ** (-torch.arange(0, D_k, 2, dtype=torch.float64) / D_k)
    c, s = torch.cos(angles), torch.sin(angles)
    turned = []
    for X in (Q, K):
        x, y = X[..., 0::2], X[..., 1::2]
        turned.append(torch.stack([x * c - y * s, x * s + y * c], dim=-1).flatten(-2))
    scores = turned[0] @ turned[1].transpose(-2, -1) / math.sqrt(D_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    alpha = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return alpha @ V, alpha


exercise.equivalent('N, D_k = Q.shape[-2:] -> N, D_k = K.shape[-2:]',
                    because="queries and keys have the same shape here")
exercise.equivalent('angles = n.to(torch.float64).unsqueeze(-1) * L ** (-torch.arange(0, D_k, 2, dtype=torch.float64) / D_k) -> '
                    'angles = n.unsqueeze(-1) * L ** (-torch.arange(0, D_k, 2, dtype=torch.float64) / D_k)',
                    because="whole positions times float64 speeds are float64 already")
exercise.equivalent('angles = n.to(torch.float64).unsqueeze(-1) * L ** (-torch.arange(0, D_k, 2, dtype=torch.float64) / D_k) -> '
                    'angles = n.to(torch.float64).unsqueeze(1) * L ** (-torch.arange(0, D_k, 2, dtype=torch.float64) / D_k)',
                    because="positions have one axis, so a new axis 1 is the last one")
exercise.equivalent('angles = n.to(torch.float64).unsqueeze(-1) * L ** (-torch.arange(0, D_k, 2, dtype=torch.float64) / D_k) -> '
                    'angles = n.to(torch.float64).unsqueeze(-1) * L ** (-torch.arange(0, D_k, 2) / D_k)',
                    because="speeds in float32 are off by less than the tolerance allows at the positions that are drawn")
exercise.equivalent('turned.append(torch.stack([x * c - y * s, x * s + y * c], dim=-1).flatten(-2)) -> '
                    'turned.append(torch.stack([y * s - x * c, x * s + y * c], dim=-1).flatten(-2))',
                    because="a coordinate negated in queries and keys alike leaves every score as it is")
exercise.equivalent('turned.append(torch.stack([x * c - y * s, x * s + y * c], dim=-1).flatten(-2)) -> '
                    'turned.append(torch.stack([x * c - y * s, x * s + y * c], dim=-2).flatten(-2))',
                    because="features in another order, the same in queries and keys, leave every score as it is")


@st.composite
def with_positions_and_base(draw):
    """Queries, keys, values, with positions or none and a base or none; at the default base positions lie as far out as float32 allows."""
    q_k_v = draw(batches)
    N = q_k_v[0].shape[-2]
    options = dict(draw(st.sampled_from([{}, {"L": 30.0}, {"L": 700.0}, {"L": 1.5}])))
    if draw(st.booleans()):
        options["positions"] = torch.randperm(11, generator=torch.Generator().manual_seed(draw(st.integers(0, 2**16))))[:N].contiguous()
        options["positions"] *= 1 if "L" in options else 90 if q_k_v[0].shape[-1] == 2 else 9
    return q_k_v, options


@exercise.hidden_check(points=1.5, examples=45, hint="Take two tokens with D_k = 4, rotate queries and keys on paper, and compare the "
                                                     "scores. Then give positions, and a batch.")
@given(with_positions_and_base())
def agrees_with_the_reference(student, case):
    """Agrees with the reference for D_v != D_k, given positions, several bases, and none, one and two batch dimensions."""
    q_k_v, options = case
    Y, alpha = student(*q_k_v, **options)
    Y_ref, alpha_ref = rope_attention(*q_k_v, **options)
    assert_close(alpha, alpha_ref, what="alpha")
    assert_close(Y, Y_ref, what="Y")


@exercise.hidden_check(points=1, examples=15, hint="Try a mask that differs between queries, one that differs between batch elements, and "
                                                   "one of shape 1 x N; then a mask with positions and L.")
@given(masked, st.integers(0, 2**16), st.sampled_from([30.0, 700.0]))
def masks_positions_and_base_together(student, case, seed, L):
    """With a mask of any broadcastable shape, positions and a base, agrees with the reference on tokens whose features are all equal."""
    Q, K, V, mask = case
    Q, K = (X[..., :1].expand(X.shape).contiguous() for X in (Q, K))   # such tokens do not tell one pairing, or one direction, from another
    positions = torch.randint(0, 20, Q.shape[-2:-1], generator=torch.Generator().manual_seed(seed))
    Y, alpha = student(Q, K, V, positions, mask, L)
    Y_ref, alpha_ref = rope_attention(Q, K, V, positions, mask, L)
    assert_close(alpha, alpha_ref, what="alpha under a mask")
    assert_close(Y, Y_ref, what="Y under a mask")


@exercise.hidden_check(points=0.5, examples=8, hint="A head is trained through this function. Does something inside cut the gradient (detach, "
                                                    "no_grad, .data), of the queries or of the keys alone, or under a mask?")
@given(masked, fillers(("normal",)))
def the_gradient_is_right(student, case, filler):
    """Where a gradient flows, it is that of the formula: for V entry by entry, for tokens of Q and K whose features are all moved alike."""
    Q, K, V, mask = case
    Q, K = (X[..., :1].expand(X.shape).contiguous() for X in (Q, K))   # any pairing and either direction give the same
    cotangent, = filler(tuple(V.shape))
    args = Q, K, V, None, mask
    assert_close(student(*args)[0], rope_attention(*args)[0], what="Y")
    got = student.vjp((cotangent, None), *args)
    if got is not None:
        for name, mine, theirs in zip("QKV", got, rope_attention.vjp((cotangent, None), *args)):
            mine, theirs = (mine, theirs) if name == "V" else (mine.sum(-1), theirs.sum(-1))
            assert_close(mine, theirs, what=f"the gradient with respect to {name}" + (", summed over the features," if name != "V" else ""))


@exercise.alternate
def with_complex_numbers(Q, K, V, positions=None, mask=None, L=10000.0):
    D = Q.shape[-1]
    n = torch.arange(Q.shape[-2]) if positions is None else positions
    angles = n.double()[:, None] / L ** (torch.arange(0, D, 2).double() / D)
    turn = torch.polar(torch.ones_like(angles), angles)
    q, k = (torch.view_as_complex(X.reshape(*X.shape[:-1], D // 2, 2)) * turn for X in (Q, K))
    scores = torch.einsum("...nd,...md->...nm", q, k.conj()).real * D ** -0.5
    alpha = torch.softmax(scores if mask is None else torch.where(mask.bool(), scores, -torch.inf), -1).nan_to_num(0.0)
    return torch.einsum("...nm,...md->...nd", alpha, V), alpha


@exercise.alternate
def pair_of_tokens_by_pair(Q, K, V, positions=None, mask=None, L=10000.0):
    N, D = Q.shape[-2:]
    n = list(range(N)) if positions is None else positions.tolist()
    scores = torch.zeros(*Q.shape[:-1], N, dtype=torch.float64)
    for a in range(N):
        for b in range(N):
            for i in range(0, D, 2):
                angle = (n[a] - n[b]) * L ** (-i / D)
                qx, qy, kx, ky = Q[..., a, i], Q[..., a, i + 1], K[..., b, i], K[..., b, i + 1]
                scores[..., a, b] += math.cos(angle) * (qx * kx + qy * ky) + math.sin(angle) * (qx * ky - qy * kx)
    scores = scores / math.sqrt(D)
    if mask is not None:
        scores = scores.masked_fill(~mask.bool(), -torch.inf)
    alpha = torch.softmax(scores, -1)
    alpha = torch.where(alpha.isnan(), torch.zeros_like(alpha), alpha)
    return [alpha @ V, alpha]


@exercise.alternate
def angles_in_float32(Q, K, V, positions=None, mask=None, L=10000.0):
    D = Q.shape[-1]
    n = torch.arange(Q.shape[-2]).float() if positions is None else positions.float()
    angles = torch.outer(n, 1.0 / (L ** (torch.arange(0, D, 2).float() / D))).repeat_interleave(2, -1)

    def turned(X):
        partner = torch.stack([-X[..., 1::2], X[..., ::2]], -1).reshape(X.shape)
        return X * angles.cos() + partner * angles.sin()

    scores = turned(Q / D ** 0.25) @ turned(K / D ** 0.25).mT
    if mask is None:
        alpha = scores.softmax(-1)
    else:
        seen = mask.bool().expand(scores.shape)
        alpha = torch.where(seen.any(-1, keepdim=True), scores.masked_fill(~seen, -1e30).softmax(-1), 0.0)
    return alpha @ V, alpha


@exercise.alternate
def with_numpy(Q, K, V, positions=None, mask=None, L=10000.0):
    n = range(Q.shape[-2]) if positions is None else positions.tolist()
    D = Q.shape[-1]
    matrices = torch.stack([torch.block_diag(*[torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]], dtype=torch.float64)
                                               for a in (p * L ** (-i / D) for i in range(0, D, 2))]) for p in n])
    q, k = ((matrices @ X.unsqueeze(-1)).squeeze(-1).numpy() for X in (Q, K))
    scores = torch.from_numpy(q @ k.swapaxes(-1, -2)) / math.sqrt(D)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    if mask is not None:
        allowed = mask.bool().expand(weights.shape)
        weights = torch.exp(scores - scores.masked_fill(~allowed, -1e9).amax(-1, keepdim=True)).masked_fill(~allowed, 0.0)
    total = weights.sum(-1, keepdim=True)
    alpha = weights / torch.where(total == 0, 1.0, total)
    return alpha @ V, alpha


def _angles(X, positions, L):
    n = torch.arange(X.shape[-2], dtype=torch.float64) if positions is None else positions.double()
    return n[:, None] * L ** (-torch.arange(0, X.shape[-1], 2, dtype=torch.float64) / X.shape[-1])


def _turn(X, angles):
    c, s = angles.cos(), angles.sin()
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * c - y * s, x * s + y * c], -1).flatten(-2)


def _rope(X, positions, L):
    return _turn(X, _angles(X, positions, L))


def _attend(Q, K, V, mask=None, scale=None, fill=float("-inf"), dim=-1):
    """Attention with a guard for empty rows: the common part of the answers below."""
    scores = Q @ K.mT / (math.sqrt(Q.shape[-1]) if scale is None else scale)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, fill)
    alpha = torch.softmax(scores, dim)
    alpha = torch.where(torch.isnan(alpha) & torch.isneginf(scores), 0.0, alpha)
    return alpha @ V, alpha


@exercise.alternate
def in_one_line(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, mask)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(the_values_are_not_rotated, "attention without any rotation")
def not_rotated(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(Q, K, V, mask)


@_wrong(a_shift_of_all_positions_changes_nothing, "queries that are rotated and keys that are not")
def only_queries_rotated(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), K, V, mask)


@_wrong(a_shift_of_all_positions_changes_nothing, "keys that are rotated and queries that are not")
def only_keys_rotated(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(Q, _rope(K, positions, L), V, mask)


@_wrong(a_shift_of_all_positions_changes_nothing,
        "queries and keys that are rotated in opposite directions, so that the scores depend on the sum of the positions")
def opposite_directions(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _turn(K, -_angles(K, positions, L)), V, mask)


@_wrong(the_values_are_not_rotated, "values that are rotated along with queries and keys")
def values_rotated(Q, K, V, positions=None, mask=None, L=10000.0):
    turned = _rope(V, positions, L) if V.shape[-1] % 2 == 0 else torch.cat([_rope(V[..., :-1], positions, L), V[..., -1:]], -1)
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), turned, mask)


@_wrong(the_values_are_not_rotated, "rotated keys that are mixed in place of the values")
def keys_mixed(Q, K, V, positions=None, mask=None, L=10000.0):
    Q, K = _rope(Q, positions, L), _rope(K, positions, L)
    return _attend(Q, K, K, mask)


@_wrong(one_pair_turns_anticlockwise,
        "queries and keys that are both rotated the other way, by minus n times theta "
        "(legitimate elsewhere; this course turns by plus n times theta)")
def reversed_rotation(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_turn(Q, -_angles(Q, positions, L)), _turn(K, -_angles(K, positions, L)), V, mask)


@_wrong(agrees_with_the_reference,
        "the half-split convention in queries and keys "
        "(legitimate elsewhere: feature i turns with feature i + D_k/2; this course pairs 2i, 2i + 1)")
def half_split(Q, K, V, positions=None, mask=None, L=10000.0):
    def turned(X):
        angles = _angles(X, positions, L)
        x, y = X.chunk(2, -1)
        return torch.cat([x * angles.cos() - y * angles.sin(), x * angles.sin() + y * angles.cos()], -1)
    return _attend(turned(Q), turned(K), V, mask)


@_wrong(tokens_may_come_in_any_order, "an argument `positions` that is taken and not used")
def positions_ignored(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, None, L), _rope(K, None, L), V, mask)


@_wrong(a_shift_of_all_positions_changes_nothing, "positions that reach the queries and not the keys")
def positions_for_queries_only(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, None, L), V, mask)


@_wrong(a_shift_of_all_positions_changes_nothing, "positions that reach the keys and not the queries")
def positions_for_keys_only(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, None, L), _rope(K, positions, L), V, mask)


@_wrong(the_base_is_passed_on, "a base of 10000 written into the code: the argument L is not used")
def base_ignored(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, 10000.0), _rope(K, positions, 10000.0), V, mask)


@_wrong(the_base_is_passed_on, "a base L that reaches the queries and not the keys")
def base_for_queries_only(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, 10000.0), V, mask)


@_wrong(equal_tokens_are_told_apart_by_their_distance, "scores that were never divided by sqrt(D_k)")
def without_the_scale(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, mask, scale=1.0)


@_wrong(equal_tokens_are_told_apart_by_their_distance, "scores divided by D_k instead of its square root")
def divided_by_D_k(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, mask, scale=Q.shape[-1])


@_wrong(agrees_with_the_reference, "a scale from D_v, the width of the values, instead of D_k")
def scale_from_the_values(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, mask, scale=math.sqrt(V.shape[-1]))


@_wrong(equal_tokens_are_told_apart_by_their_distance, "queries and keys rotated twice, by 2n times theta")
def rotated_twice(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_turn(Q, 2 * _angles(Q, positions, L)), _turn(K, 2 * _angles(K, positions, L)), V, mask)


@_wrong(equal_tokens_are_told_apart_by_their_distance, "an exponent of i/D_k where 2i/D_k is meant")
def half_the_exponent(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L ** 0.5), _rope(K, positions, L ** 0.5), V, mask)


@_wrong(equal_tokens_are_told_apart_by_their_distance, "one angle for all pairs")
def one_angle(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, 1.0), _rope(K, positions, 1.0), V, mask)


@_wrong(a_shift_of_all_positions_changes_nothing, "sinusoidal encodings added to queries and keys instead of a rotation")
def encodings_added(Q, K, V, positions=None, mask=None, L=10000.0):
    angles = _angles(Q, positions, L)
    r = torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)
    return _attend(Q + r, K + r, V, mask)


@_wrong(a_masked_key_gets_no_weight,
        "a mask read the other way round: True taken for forbidden "
        "(legitimate elsewhere; here True means that attending is allowed)")
def mask_inverted(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, None if mask is None else mask == 0)


@_wrong(a_masked_key_gets_no_weight, "a mask that was taken and never used")
def mask_ignored(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V)


@_wrong(a_masked_key_gets_no_weight, "a mask applied after the softmax, without normalising again")
def mask_after_the_softmax(Q, K, V, positions=None, mask=None, L=10000.0):
    _, alpha = _attend(_rope(Q, positions, L), _rope(K, positions, L), V)
    alpha = alpha if mask is None else alpha * mask
    return alpha @ V, alpha


@_wrong(a_masked_key_gets_no_weight, "forbidden scores set to 0, which still get weight")
def mask_with_zeros(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, mask, fill=0.0)


@_wrong(a_query_that_sees_nothing_gets_zeros, "the mean of all values for a query that sees nothing (a large negative number instead of -inf)")
def mean_for_an_empty_row(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, mask, fill=-1e9)


@_wrong(a_query_that_sees_nothing_gets_zeros, "NaN for a query that sees nothing")
def nan_for_an_empty_row(Q, K, V, positions=None, mask=None, L=10000.0):
    scores = _rope(Q, positions, L) @ _rope(K, positions, L).mT / math.sqrt(Q.shape[-1])
    alpha = torch.softmax(scores if mask is None else scores.masked_fill(mask == 0, -torch.inf), -1)
    return alpha @ V, alpha


@_wrong(the_values_are_not_rotated, "a softmax over the queries: columns sum to 1 instead of rows")
def softmax_over_the_queries(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, mask, dim=-2)


@_wrong(agrees_with_the_reference, "queries and keys swapped")
def queries_and_keys_swapped(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(K, positions, L), _rope(Q, positions, L), V, mask)


@_wrong(equal_tokens_are_told_apart_by_their_distance, "a causal mask that nobody asked for")
def causal(Q, K, V, positions=None, mask=None, L=10000.0):
    lower = torch.ones(Q.shape[-2], Q.shape[-2], dtype=torch.bool).tril()
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, lower if mask is None else lower & mask)


@_wrong(masks_positions_and_base_together, "the first batch element's mask used for all")
def mask_of_the_first(Q, K, V, positions=None, mask=None, L=10000.0):
    while mask is not None and mask.dim() > 2:
        mask = mask[0]
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, mask)


@_wrong(the_inputs_stay_as_they_were, "an attention that rotates Q and K in place")
def in_place(Q, K, V, positions=None, mask=None, L=10000.0):
    Q.copy_(_rope(Q, positions, L))
    K.copy_(_rope(K, positions, L))
    return _attend(Q, K, V, mask)


@_wrong(agrees_with_the_reference, "angles in half precision, which keeps three digits")
def half_precision(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(*(_turn(X, _angles(X, positions, L).half().double()) for X in (Q, K)), V, mask)


@_wrong(the_values_are_not_rotated, "queries, keys and values all divided by the fourth root of D_k, so that the outputs are scaled too")
def values_scaled_too(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V / Q.shape[-1] ** 0.25, mask)


@_wrong(a_shift_of_all_positions_changes_nothing, "positions cut off at N - 1, the last row of a table that has one row for each token")
def positions_cut_off(Q, K, V, positions=None, mask=None, L=10000.0):
    n = None if positions is None else positions.clamp(max=Q.shape[-2] - 1)
    return _attend(_rope(Q, n, L), _rope(K, n, L), V, mask)


@_wrong(masks_positions_and_base_together, "given positions that are lost where there is a mask as well")
def positions_lost_under_a_mask(Q, K, V, positions=None, mask=None, L=10000.0):
    n = positions if mask is None else None
    return _attend(_rope(Q, n, L), _rope(K, n, L), V, mask)


@_wrong(agrees_with_the_reference, "a base L that is lost where positions are given")
def base_lost_with_positions(Q, K, V, positions=None, mask=None, L=10000.0):
    L = L if positions is None else 10000.0
    return _attend(_rope(Q, positions, L), _rope(K, positions, L), V, mask)


@_wrong(the_gradient_is_right, "keys through which no gradient flows")
def keys_detached(Q, K, V, positions=None, mask=None, L=10000.0):
    return _attend(_rope(Q, positions, L), _rope(K, positions, L).detach(), V, mask)


@_wrong(the_inputs_stay_as_they_were, "an attention that opens the empty rows of the caller's own mask")
def empty_rows_opened(Q, K, V, positions=None, mask=None, L=10000.0):
    Q, K = _rope(Q, positions, L), _rope(K, positions, L)
    if mask is None:
        return _attend(Q, K, V)
    empty = ~mask.any(-1, keepdim=True)
    mask |= empty
    alpha = _attend(Q, K, V, mask)[1].masked_fill(empty, 0.0)
    return alpha @ V, alpha


@_wrong(a_shift_of_all_positions_changes_nothing, "positions cut off at 63, the last row of a table")
def positions_cut_off_at_63(Q, K, V, positions=None, mask=None, L=10000.0):
    n = None if positions is None else positions.clamp(max=63)
    return _attend(_rope(Q, n, L), _rope(K, n, L), V, mask)
