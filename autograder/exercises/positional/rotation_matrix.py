"""Public half of the exercise `rotation_matrix`."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.exercises.positional._speeds import bases, even_widths, odd_widths, several_pairs, speeds, sum_of_cosines
from autograder.strategies import sizes
from autograder.student import floats


def returns(k, D, L=10000.0):
    return {"R_k": floats(D, D)}


exercise = Exercise(__name__, title="The rotation that moves by k", returns=returns)

steps = st.integers(-8, 8)
turns = st.tuples(steps, even_widths)


def _turns(student, D):
    """Fails unless one step changes something."""
    one = student(1, D)
    assert_true((one - torch.eye(D, dtype=torch.float64)).abs().max() > 1e-3, "a step of 1 leaves everything where it is", what="R_1")
    return one


@exercise.check(points=1, examples=12, hint="Multiply your matrix for D = 2 by its transpose. A rotation keeps lengths and does not "
                                            "reflect: the product must be the identity, and the determinant +1. Where do the signs stand?",
                kept="asks for what every rotation has, whatever turns with what and which way round: a transposed or half-split matrix "
                     "keeps these points")
@given(turns)
def it_is_a_rotation(student, k_D):
    """R_k is orthogonal with determinant 1, and R_1 is not the identity."""
    k, D = k_D
    _turns(student, D)
    R = student(k, D)
    assert_close(R @ R.mT, torch.eye(D, dtype=torch.float64), what="R_k times its transpose")
    assert_close(torch.linalg.det(R), 1.0, what="the determinant of R_k")


@st.composite
def two_steps(draw):
    """Two numbers of steps and a width."""
    return draw(steps), draw(steps), draw(even_widths)


@exercise.check(points=1, examples=12, hint="One step and then another are two steps: compare R_1 R_1 with R_2 for D = 2. What should R_0 "
                                            "be, and what R_1 R_(-1)?",
                kept="the law by which one matrix shifts a whole table; it holds under every convention, and its hint finds a lost sign "
                     "or a step too many")
@given(two_steps())
def steps_add_up(student, case):
    """R_j R_k = R_(j+k), for negative numbers as well, and R_0 is the identity."""
    j, k, D = case
    one = _turns(student, D)
    assert_close(student(0, D), torch.eye(D, dtype=torch.float64), what="R_0")
    assert_close(student(-1, D) @ one, torch.eye(D, dtype=torch.float64), what="R_(-1) R_1")
    product = student(j, D) @ student(k, D)
    assert_close(student(j + k, D), product, what="R_(j+k), against R_j R_k,")


@exercise.check(points=1, examples=15, hint="Print the diagonal for D = 4 and k = 1: it should hold cos(1) twice and cos(1/100) twice.",
                kept="the speeds alone, read off the trace, which does not see where the sines stand or which of them is negative")
@given(turns)
def each_pair_turns_at_its_own_speed(student, k_D):
    """The trace of R_k is twice the sum over i of cos(k times 10000^(-2i/D))."""
    k, D = k_D
    expected = 2 * sum_of_cosines(torch.tensor(float(k), dtype=torch.float64), D)
    _turns(student, D)
    assert_close(student(k, D).trace(), expected, what="the trace of R_k")


@exercise.check(points=0.5, examples=10, hint="For D = 4 and L=100.0 the second pair turns by k/10. Does your answer change with L at all?")
@given(steps, several_pairs, bases)
def the_base_is_an_argument(student, k, D, L):
    """With another base L, the speeds are L^(-2i/D)."""
    expected = 2 * sum_of_cosines(torch.tensor([1.0, float(k)], dtype=torch.float64), D, L)
    assert_close(student(1, D, L=L).trace(), expected[0], what="the trace of R_1")
    assert_close(student(k, D, L=L).trace(), expected[1], what="the trace of R_k")


@exercise.check(points=0.5, examples=10, hint="For D = 2, multiply your R_1 by the column (sin n, cos n) and use sin(n + 1) = sin n cos 1 "
                                              "+ cos n sin 1. Which entry carries the minus sign?",
                kept="pays for the direction alone, on four entries that can be written down from the addition theorem")
@given(st.one_of(steps, st.sampled_from([-120, 150])))
def one_pair_is_turned_the_right_way(student, k):
    """With D = 2, R_k has the rows (cos k, sin k) and (-sin k, cos k)."""
    s, c = math.sin(k), math.cos(k)
    assert_close(student(1, 2)[0, 1], math.sin(1), what="the upper right entry of R_1")
    assert_close(student(k, 2), torch.tensor([[c, s], [-s, c]], dtype=torch.float64), what="R_k with D = 2")


@exercise.check(points=1, examples=12, hint="Print R_1 for D = 4 and mark what is not zero. Sine and cosine of one angle stand side by "
                                            "side in an encoding: columns 0 and 1, 2 and 3.",
                kept="pays for the layout alone: who pairs feature i with i + D/2 loses this and r_(n+k), and learns which entries must "
                     "be zero")
@given(steps, several_pairs)
def only_neighbours_mix(student, k, D):
    """R_k is zero outside its 2 x 2 blocks on the diagonal, each of which is a rotation, the later ones slower."""
    R = _turns(student, D)
    outside = torch.block_diag(*[torch.ones(2, 2)] * (D // 2)) == 0
    c, s = R.diagonal()[::2], R.diagonal(1)[::2]
    assert_close(c ** 2 + s ** 2, 1.0, what="cosine squared plus sine squared in each block of R_1")
    assert_true((c[1:] > c[:-1] - 1e-5).all(), "a later pair turns faster than an earlier one", what="R_1")
    assert_close(student(k, D)[outside], 0.0, what="an entry of R_k outside the 2 x 2 blocks")


@exercise.check(points=1, examples=12, hint="Take D = 2 and n = 0: the encoding is (0, 1), and R_k must send it to (sin k, cos k), so this "
                                            "is the second column of R_k.")
@given(turns, sizes(0, 12))
def it_moves_an_encoding_on(student, k_D, n):
    """R_k r_n = r_(n+k), for the sinusoidal encodings as columns."""
    k, D = k_D
    before, after = (torch.stack([f(step * speeds(D)) for f in (torch.sin, torch.cos)], -1).reshape(D) for step in (n, n + k))
    assert_close(student(k, D) @ before, after, what="R_k r_n, against r_(n+k),")


@exercise.check(points=0.5, examples=6, hint="Call your function with D = 3. Each feature needs a partner to turn with: what should a "
                                             "function do that is asked for the impossible?")
@given(steps, even_widths, odd_widths)
def an_odd_width_is_refused(student, k, D, odd):
    """An odd D raises a ValueError, an even one does not."""
    _turns(student, D)
    assert_true(student.refuses(k, odd), "an odd D was accepted", what="the call with an odd D")
