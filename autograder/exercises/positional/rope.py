"""Public half of the exercise `rope`."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.exercises.positional._speeds import bases, even_widths, gaps, odd_widths, several_pairs, sum_of_cosines
from autograder.properties import assert_answered
from autograder.strategies import fillers, leading, sizes
from autograder.student import floats


def returns(X, positions=None, L=10000.0):
    return {"the rotated X": floats(*X.shape)}


exercise = Exercise(__name__, title="Rotary position encoding", returns=returns)

PAIR = torch.ones(2, 2, dtype=torch.float64)


def _turns(student):
    """Fails unless the token (1, 1) comes out differently at positions 0 and 1."""
    Y = student(PAIR)
    assert_true((Y[1] - Y[0]).norm() > 1e-3, "a token comes out the same at positions 0 and 1: nothing was rotated", what="the rotated X")


@st.composite
def _tokens(draw, batch, widths, low=2):
    N, D_k, filler = draw(sizes(low, 6)), draw(widths), draw(fillers())
    return filler((*draw(batch), N, D_k))[0]


tokens = _tokens(st.just(()), even_widths)
wide_tokens = _tokens(st.just(()), several_pairs)
batches = _tokens(leading(), even_widths)


@exercise.check(points=0.5, examples=12, hint="Print the lengths (X.norm(dim=-1)) before and after, for D_k = 2. If one changed: does the "
                                              "second line of your rotation use the first coordinate as it was, and do both coordinates of "
                                              "a pair turn by the same angle?",
                kept="needs neither angle nor pairing; its hint finds the second line that reads a coordinate which the first line has "
                     "already turned")
@given(tokens)
def lengths_are_kept(student, X):
    """Every token keeps its length, and a token at position 1 is turned."""
    _turns(student)
    assert_close(student(X).norm(dim=-1), X.norm(dim=-1), what="the length of each token")


@exercise.check(points=0.5, examples=10, hint="Without positions, the first token stands at position 0 and turns by 0. Print your first "
                                              "row for X = torch.ones(2, 2).",
                kept="the row in which nothing may happen: who counts from 1 or reflects the pairs sees it there without computing a sine")
@given(tokens)
def position_zero_stays(student, X):
    """The token at position 0 is left as it is, a token at position 1 is not."""
    _turns(student)
    assert_close(student(X)[0], X[0], what="the first token after the rotation")


@st.composite
def query_and_key(draw):
    """One query and one key, each repeated over the same N positions."""
    N, D_k = draw(sizes(2, 6)), draw(even_widths)
    q, k = draw(fillers())((1, D_k), (1, D_k))
    return q.repeat(N, 1), k.repeat(N, 1)


@exercise.check(points=1, examples=12, hint="Put the same query and the same key at every position, as this check does, and print rope(Q) "
                                            "@ rope(K).mT: every diagonal should hold one number only. Is position n turned by n times a "
                                            "fixed angle?",
                kept="the property that RoPE was made for, under every pairing, direction and speed: half-split answers keep these points")
@given(query_and_key())
def scores_depend_on_the_offset_only(student, case):
    """The score of a rotated query with a rotated key depends only on the two and on the difference of their positions."""
    Q, K = case
    _turns(student)
    S = student(Q) @ student(K).mT
    assert_close(S.diagonal(), (Q * K).sum(-1), what="the score of query and key at the same position")
    assert_close(S[1:, 1:], S[:-1, :-1], what="the score with both positions moved on by one")


@exercise.check(points=1, examples=12, hint="Rotate torch.ones(2, 4): pair 0 should turn by 1 radian from the first row to the second, and "
                                            "pair 1 by 1/100. What are your angles?")
@given(st.tuples(sizes(2, 8), even_widths))
def each_pair_turns_at_its_own_speed(student, case):
    """Between tokens of ones at the offset d the score is 2 times the sum over i of cos(d times 10000^(-2i/D_k))."""
    N, D_k = case
    Y = student(torch.ones(N, D_k, dtype=torch.float64))
    assert_close(Y @ Y.mT, 2 * sum_of_cosines(gaps(N), D_k), what="the score of each rotated token of ones with each other")


@exercise.check(points=0.5, examples=10, hint="Rotate torch.ones(2, 4) with L=100.0: the second pair should turn by 1/10. Does the call "
                                              "with and without L differ?")
@given(sizes(2, 6), several_pairs, bases)
def the_base_is_an_argument(student, N, D_k, L):
    """With another base L, the speeds are L^(-2i/D_k)."""
    Y = student(torch.ones(N, D_k, dtype=torch.float64), L=L)
    assert_close(Y @ Y.mT, 2 * sum_of_cosines(gaps(N), D_k, L), what="the score of each rotated token of ones with each other")


@exercise.check(points=0.5, examples=12, hint="Rotate the single row [1, 0, 0, 0] at position 1 (positions=torch.tensor([1])). Which "
                                              "entries are no longer 0? Features 0 and 1 are a pair, and 2 and 3.")
@given(wide_tokens)
def neighbours_are_the_pairs(student, X):
    """Features 2i and 2i + 1 turn together: the length of each such pair is kept."""
    _turns(student)
    before, after = (tokens.unflatten(-1, (-1, 2)).norm(dim=-1) for tokens in (X, student(X)))
    assert_close(after, before, what="the length of each pair (2i, 2i + 1)")


@exercise.check(points=0.5, examples=10, hint="With D_k = 2 and X all (1, 0), row n should be (cos n, sin n): the angle grows "
                                              "anticlockwise. Which of your sines carries the minus sign?")
@given(st.one_of(sizes(2, 8), st.just(100)), fillers())
def one_pair_turns_anticlockwise(student, N, filler):
    """With D_k = 2, (x, y) at position n becomes (x cos n - y sin n, x sin n + y cos n)."""
    n = torch.arange(N, dtype=torch.float64)
    X, = filler((N, 2))
    turned = torch.view_as_real(torch.view_as_complex(X) * torch.exp(1j * n))
    assert_close(student(torch.tensor([[1.0, 0.0]] * 2, dtype=torch.float64))[1, 1], math.sin(1), what="the second feature of (1, 0) at position 1")
    assert_close(student(X), turned, what="the rotated X with D_k = 2")


@st.composite
def with_positions(draw):
    """A long run of tokens and some of its positions, in any order, the last one among them."""
    X = draw(_tokens(leading(1), even_widths, 3))
    times = draw(st.sampled_from([4, 24]))
    N = times * X.shape[-2]
    chosen = draw(st.lists(st.integers(0, N - 1), min_size=1, max_size=4))
    return X.repeat(*[1] * (X.dim() - 2), times, 1), torch.tensor([*chosen, N - 1])


@exercise.check(points=1, examples=12, hint="A token at position 7 is turned by 7, wherever it stands in the tensor: compare rope(X)[7:8] "
                                            "with rope(X[7:8], positions=torch.tensor([7])).")
@given(with_positions())
def the_positions_are_the_ones_given(student, case):
    """Rotating some tokens of a run with their positions gives the same as rotating the run and taking these tokens."""
    X, positions = case
    _turns(student)
    whole = student(X)
    assert_close(student(X[..., positions, :].contiguous(), positions), whole[..., positions, :],
                 what="the rotated X with positions given, against these rows of the whole run,")


@exercise.check(points=0.5, examples=14, hint="Try X of shape 2 x 3 x 4 and 2 x 1 x 3 x 4. The tokens are always the last axis but one, "
                                              "and every sequence starts at position 0.")
@given(batches)
def each_sequence_of_a_batch_is_by_itself(student, X):
    """With none, one or two leading dimensions, each sequence is rotated as if it were alone."""
    _turns(student)
    flat = X.reshape(-1, *X.shape[-2:])
    alone = torch.stack([student(flat[b].clone()) for b in (0, -1)])
    assert_close(student(X).reshape(flat.shape)[[0, -1]], alone, what="the first or last sequence of a batch, against the same sequence alone,")


@exercise.check(points=0.5, examples=6, hint="Call your function on torch.ones(2, 3). The third feature has no partner to turn with: what "
                                             "should a function do that is asked for the impossible?")
@given(tokens, odd_widths)
def an_odd_width_is_refused(student, X, odd):
    """An odd D_k raises a ValueError, an even one does not."""
    _turns(student)
    student(X)
    assert_true(student.refuses(torch.ones(2, odd, dtype=torch.float64)), "an odd D_k was accepted", what="the call with an odd D_k")


@exercise.check(points=0.5, examples=8, hint="If X or the positions changed, which line writes into them, or into a slice (a slice is no "
                                             "copy)? Anything else the checks above tell better.")
@given(tokens)
def the_input_stays_as_it_was(student, X):
    """The tokens and the positions that were passed in are unchanged afterwards (and used)."""
    positions = torch.arange(2, 2 + X.shape[0])
    after = student.arguments_after(X, positions)
    assert_close(after[0], X, what="X after the call")
    assert_close(after[1].to(torch.float64), positions.to(torch.float64), what="the tensor of positions after the call")
    assert_answered(student, (PAIR,), (2 * PAIR,), X)
