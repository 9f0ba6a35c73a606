"""Public half of the exercise `rope_attention`."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.exercises.positional._speeds import bases, even_widths, gaps, several_pairs, sum_of_cosines
from autograder.properties import assert_answered
from autograder.strategies import fillers, leading, permutations, sizes
from autograder.student import floats


def returns(Q, K, V, positions=None, mask=None, L=10000.0):
    return {"Y": floats(*Q.shape[:-1], V.shape[-1]), "alpha": floats(*Q.shape[:-1], K.shape[-2])}


exercise = Exercise(__name__, title="Attention with RoPE", returns=returns,
                    forbids=("torch.nn.functional.scaled_dot_product_attention", "torch.nn.MultiheadAttention",
                             "torch.nn.functional.multi_head_attention_forward"))

TWO = torch.eye(2, dtype=torch.float64)


def _positions_matter(student):
    """Fails unless two tokens get weights that sum to 1 and are neither equal nor those of attention without positions."""
    alpha = student(TWO, TWO, TWO[:, :1].clone())[1]
    without = torch.softmax(TWO / math.sqrt(2), -1)
    assert_close(alpha.sum(-1), 1.0, what="the sum of each row of alpha")
    assert_true((alpha - without).abs().max() > 1e-5, "the weights are those of attention without positions", what="alpha")
    assert_true((alpha - 0.5).abs().max() > 0.01, "all weights are equal", what="alpha")


@st.composite
def _qkv(draw, batch, widths):
    N, D_k, D_v, filler = draw(sizes(2, 5)), draw(widths), draw(sizes(1, 4)), draw(fillers())
    shape = draw(batch)
    return tuple(filler((*shape, N, D_k), (*shape, N, D_k), (*shape, N, D_v)))


sentences = _qkv(st.just(()), even_widths)
batches = _qkv(leading(), even_widths)


@st.composite
def _masked(draw):
    """Queries, keys, values and a mask that leaves every query a key and forbids the first one its last key."""
    Q, K, V = draw(batches)
    N = Q.shape[-2]
    shape = draw(st.sampled_from([(N, N), (*Q.shape[:-1], N), (*Q.shape[:-2], 1, N), (*Q.shape[1:-2], N, N)]))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**16)))
    mask = torch.rand(shape, generator=generator) < 0.5
    mask.scatter_(-1, torch.randint(N, (*shape[:-1], 1), generator=generator), True)
    mask[..., 0, :] = True
    mask[..., 0, -1] = False
    return Q, K, V, mask


masked = _masked()


@exercise.check(points=1, examples=12, hint="Compare Y with alpha @ V for two tokens. Positions should decide who is looked at, not what "
                                            "is handed over.")
@given(batches)
def the_values_are_not_rotated(student, q_k_v):
    """Row n of Y is the mean of the values, as they came, with the weights in row n of alpha."""
    Q, K, V = q_k_v
    _positions_matter(student)
    Y, alpha = student(Q, K, V)
    assert_true((alpha >= 0).all(), "an entry of alpha is negative or not a number", what="alpha")
    assert_close(alpha.sum(-1), 1.0, what="the sum of each row of alpha")
    assert_close(Y, alpha @ V, what="Y, against alpha @ V,")


@exercise.check(points=1, examples=18, hint="Give two tokens the positions 0, 1 and then 5, 6. The distance is the same, so the weights "
                                            "must be. Are queries and keys both turned, by the same positions and the same way?")
@given(sentences, st.one_of(st.integers(1, 12), st.sampled_from([70, 100])))
def a_shift_of_all_positions_changes_nothing(student, q_k_v, shift):
    """Adding the same number to all positions changes neither the weights nor the output."""
    _positions_matter(student)
    here = torch.arange(q_k_v[0].shape[-2])
    Y, alpha = student(*q_k_v, positions=here)
    Y_new, alpha_new = student(*q_k_v, positions=here + shift)
    assert_close(alpha_new, alpha, what="alpha after all positions were moved")
    assert_close(Y_new, Y, what="Y after all positions were moved")


@st.composite
def in_another_order(draw):
    """Queries, keys and values with a new order for the tokens."""
    Q, K, V = draw(sentences)
    return Q, K, V, draw(permutations(Q.shape[-2]))


@exercise.check(points=1, examples=12, hint="Swap two tokens and give their positions swapped as well, torch.tensor([1, 0]): who attends "
                                            "to whom must not change. Do `positions` reach both queries and keys?")
@given(in_another_order())
def tokens_may_come_in_any_order(student, case):
    """If the tokens come in another order and bring their positions along, the outputs come in that order and are otherwise the same."""
    Q, K, V, order = case
    _positions_matter(student)
    Y, alpha = student(Q, K, V)
    Y_new, alpha_new = student(Q[order], K[order], V[order], positions=torch.tensor(order))
    assert_close(alpha_new, alpha[order][:, order], what="alpha of the reordered tokens")
    assert_close(Y_new, Y[order], what="Y of the reordered tokens")


def _alpha_of_ones(student, N, D_k, **base):
    ones = torch.ones(N, D_k, dtype=torch.float64)
    return student(ones, ones, torch.arange(N, dtype=torch.float64)[:, None], **base)[1]


@exercise.check(points=1, examples=12, hint="Let all queries and keys be ones: the score at the offset d is 2 cos(d) for D_k = 2, divided "
                                            "by the square root of D_k. Print your scores before the softmax.")
@given(sizes(2, 5), even_widths)
def equal_tokens_are_told_apart_by_their_distance(student, N, D_k):
    """With queries and keys of ones, the weights are the softmax of 2 sum_i cos((n - m) 10000^(-2i/D_k)), over sqrt(D_k)."""
    scores = 2 * sum_of_cosines(gaps(N), D_k) / math.sqrt(D_k)
    assert_close(_alpha_of_ones(student, N, D_k), torch.softmax(scores, -1), what="alpha of tokens of ones")


@exercise.check(points=0.5, examples=10, hint="Call your function for D_k = 4 with and without L=100.0. Do the weights differ? L must "
                                              "reach the rotation of the queries and of the keys.")
@given(sizes(2, 5), several_pairs, bases)
def the_base_is_passed_on(student, N, D_k, L):
    """With another base L, the speeds are L^(-2i/D_k)."""
    scores = 2 * sum_of_cosines(gaps(N), D_k, L) / math.sqrt(D_k)
    assert_close(_alpha_of_ones(student, N, D_k, L=L), torch.softmax(scores, -1), what="alpha of tokens of ones")


@exercise.check(points=0.5, examples=10, hint="With D_k = 2, q = (1, 0) at position 0 and k = (0, 1) at position 1, the key turns to (-sin "
                                              "1, cos 1), so the score is -sin(1) / sqrt(2). What is yours?")
@given(sizes(2, 5), fillers())
def one_pair_turns_anticlockwise(student, N, filler):
    """With D_k = 2, the score of query n with key m is q_n turned by n times k_m turned by m, over sqrt(2)."""
    _positions_matter(student)
    Q, K, V = filler((N, 2), (N, 2), (N, 1))
    turn = torch.exp(1j * torch.arange(N, dtype=torch.float64))
    q, k = (torch.view_as_complex(x) * turn for x in (Q, K))
    scores = (q[:, None] * k.conj()).real / math.sqrt(2)
    assert_close(student(Q, K, V)[1], torch.softmax(scores, -1), what="alpha with D_k = 2")


@exercise.check(points=0.5, examples=12, hint="Print alpha for two tokens and the mask [[True, False], [True, True]]: where must an exact "
                                              "0 stand, and do the rows still sum to 1?")
@given(masked)
def a_masked_key_gets_no_weight(student, case):
    """Pairs where the mask is False get the weight 0, and the other weights keep their ratios and sum to 1."""
    Q, K, V, mask = case
    _positions_matter(student)
    allowed = mask.expand(*Q.shape[:-1], K.shape[-2])
    full = student(Q, K, V)[1] * allowed
    alpha = student(Q, K, V, mask=mask)[1]
    assert_close(alpha[~allowed], 0.0, what="the weight of a pair that the mask forbids")
    total = full.sum(-1, keepdim=True)
    enough = (total > 0.01).expand(full.shape)   # below that, a right answer's rounding would be blown up
    assert_close(alpha.sum(-1), 1.0, what="the sum of each row of alpha under a mask")
    assert_close(alpha[enough], (full / total)[enough], what="alpha under a mask, against the weights without one, made to sum to 1 again,")


@exercise.check(points=0.5, examples=8, hint="What does your softmax return for a row of -inf only? A query that may look at nothing gets "
                                             "zeros.")
@given(sentences, st.integers(0, 4))
def a_query_that_sees_nothing_gets_zeros(student, q_k_v, which):
    """A row of the mask that is False everywhere gives zero weights and a zero output, and other rows are unaffected."""
    Q, K, V = q_k_v
    _positions_matter(student)
    N = Q.shape[-2]
    mask = torch.ones(N, N, dtype=torch.bool)
    mask[which % N] = False
    others = [n for n in range(N) if n != which % N]
    unmasked = student(Q, K, V)[1]
    Y, alpha = student(Q, K, V, mask=mask)
    assert_close(alpha[which % N], 0.0, what="alpha of a query that sees nothing")
    assert_close(Y[which % N], 0.0, what="Y of a query that sees nothing")
    assert_close(alpha[others], unmasked[others], what="alpha of the other queries")


@exercise.check(points=0.5, examples=8, hint="If one of them changed, which line writes into Q, K, V or the mask (`/=`, `|=`, masked_fill_, an "
                                             "assignment to a slice)? Anything else the checks above tell better.")
@given(masked)
def the_inputs_stay_as_they_were(student, case):
    """Q, K, V, the positions and the mask that were passed in are unchanged afterwards (and used), also where a query sees nothing."""
    Q, K, V, mask = case
    nothing_for_one = mask.clone()
    nothing_for_one[..., -1, :] = False
    for allowed in (mask, nothing_for_one):
        given_ones = (Q, K, V, torch.arange(Q.shape[-2]) + 1, allowed)
        for name, tensor, left in zip(("Q", "K", "V", "the tensor of positions", "the mask"), given_ones, student.arguments_after(*given_ones)):
            assert_close(left.to(torch.float64), tensor.to(torch.float64), what=f"{name} after the call")
    assert_answered(student, (TWO, TWO, TWO), (2 * TWO, TWO, TWO), case)
