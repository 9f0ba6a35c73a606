"""Public half of the exercise `sinusoidal_encoding`."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.exercises.positional._speeds import bases, gaps, odd_widths, several_pairs, speeds, sum_of_cosines
from autograder.strategies import sizes
from autograder.student import floats


def returns(N, D, L=10000.0):
    return {"the encoding": floats(N, D)}


exercise = Exercise(__name__, title="Sinusoidal encodings", returns=returns)

tables = st.tuples(sizes(2, 8), sizes(1, 4).map(lambda pairs: 2 * pairs))   # N and an even D
wide_tables = st.tuples(sizes(2, 8), several_pairs)


def _inner_products(student, N, D, **base):
    """R R^T, N x N; fails unless neighbours differ."""
    R = student(N, D, **base)
    G = R @ R.mT
    assert_true(G[0, 1] < G[0, 0] - 1e-4, "the inner product of rows 0 and 1 is not below that of row 0 with itself", what="the encoding")
    return G


@exercise.check(points=1, examples=15, hint="Print your table for N = 3 and D = 2: its rows are three points on a circle of radius 1, one "
                                            "radian apart. A sine and its cosine must turn at the same speed for that.",
                kept="the property that makes these waves useful, whichever columns hold the sines: a table in halves keeps these points")
@given(tables)
def inner_products_depend_on_the_offset_only(student, N_D):
    """The inner product of two rows depends only on how far apart they are, and that of a row with itself is D/2."""
    N, D = N_D
    G = _inner_products(student, N, D)
    assert_close(G.diagonal(), D / 2, what="the inner product of each row with itself")
    assert_close(G[1:, 1:], G[:-1, :-1], what="the inner product of two rows, both moved on by one position,")


@exercise.check(points=1, examples=15, hint="For D = 4 the two speeds are 1 and 1/100: print rows 0 and 1. If the slow pair moves by "
                                            "anything but 0.01, look at what the exponent is at the first and at the last pair.",
                kept="the speeds at the default base in even widths, whatever the order of the columns; its hint tells the commonest "
                     "slips of the exponent")
@given(tables)
def each_pair_has_its_own_speed(student, N_D):
    """The inner product of two rows is the sum over i of cos(offset times 10000^(-2i/D))."""
    N, D = N_D
    assert_close(_inner_products(student, N, D), sum_of_cosines(gaps(N), D), what="the inner product of each row with each row")


@exercise.check(points=1, examples=12, hint="Call your function for D = 4 with L=100.0: the second pair should turn by 1/10 in a step. "
                                            "Does the call with and without L differ?")
@given(wide_tables, bases)
def the_base_is_an_argument(student, N_D, L):
    """With another base L, the speeds are L^(-2i/D)."""
    N, D = N_D
    _inner_products(student, N, D)
    assert_close(_inner_products(student, N, D, L=L), sum_of_cosines(gaps(N), D, L), what="the inner product of each row with each row")


@exercise.check(points=1, examples=12, hint="Print row 0 for D = 4. It should read 0, 1, 0, 1. Which columns of your table hold the sine "
                                            "and the cosine of the same angle?")
@given(wide_tables)
def sine_and_cosine_stand_side_by_side(student, N_D):
    """Columns 2i and 2i + 1 are sine and cosine of the same angle, and later pairs turn more slowly."""
    N, D = N_D
    pairs = student(N, D).reshape(N, D // 2, 2)
    assert_close((pairs ** 2).sum(-1), 1.0, what="the sum of the squares of columns 2i and 2i + 1")
    nearness = (pairs[0] * pairs[1]).sum(-1)   # the cosine of each pair's speed
    assert_true(nearness[0] < 1 - 1e-4, "the first pair of columns is the same at positions 0 and 1, or nearly", what="the encoding")
    assert_true((nearness[1:] > nearness[:-1] - 1e-5).all(), "a later pair of columns turns faster than an earlier one", what="the encoding")


@exercise.check(points=1, examples=10, hint="With D = 2 there is one pair, and its speed is 1: row n is (sin n, cos n). Print it beside "
                                            "math.sin(1), math.cos(1). What is row 0?",
                kept="pays for the convention alone (the sine first, positions from 0) in a table that a pocket calculator can check")
@given(st.one_of(sizes(1, 12), st.sampled_from([40, 200])))
def two_columns_are_sine_and_cosine(student, N):
    """With D = 2, row n is (sin n, cos n), the first row being n = 0."""
    n = torch.arange(N, dtype=torch.float64)
    assert_close(student(N, 2), torch.stack([n.sin(), n.cos()], -1), what="the encoding with D = 2")


@exercise.check(points=1, examples=12, hint="Try D = 3. Columns 0 and 1 are a pair with speed 1; column 2 is a sine that is left without "
                                            "its cosine, and its exponent is 2/3.")
@given(sizes(2, 8), odd_widths)
def an_odd_width_ends_with_a_sine(student, N, D):
    """With an odd D, the last sine has no cosine beside it."""
    last = (torch.arange(N, dtype=torch.float64) * speeds(2 * D)[D - 1]).sin()
    R = student(N, D)
    assert_close(R @ R.mT, sum_of_cosines(gaps(N), D) + torch.outer(last, last), what="the inner product of each row with each row")
