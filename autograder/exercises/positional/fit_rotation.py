"""Public half of the exercise `fit_rotation`."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercise import Exercise
from autograder.exercises.positional._speeds import speeds
from autograder.properties import assert_answered
from autograder.strategies import sizes
from autograder.student import floats


def returns(R, k):
    return {"M": floats(R.shape[-1], R.shape[-1])}


exercise = Exercise(__name__, title="The rotation, found by least squares", returns=returns)


def whole_numbers(N, D, seed):
    """N x D integers from -3 to 3, as float64."""
    return torch.randint(-3, 4, (N, D), generator=torch.Generator().manual_seed(seed)).to(torch.float64)


def any_numbers(N, D, seed):
    """N x D standard normal numbers, with which nothing comes out even."""
    return torch.randn(N, D, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def spread_rows(numbers, N, D, seed):
    """N x D such numbers whose columns are far from dependent: the first seed from `seed` on that gives such."""
    while True:
        rows = numbers(N, D, seed)
        if torch.linalg.cond(rows) < 2.2:
            return rows
        seed += 1


@st.composite
def any_rows(draw):
    """Random rows, which no matrix moves on exactly, and a number of steps."""
    D, k = draw(sizes(1, 3)), draw(sizes(1, 4))
    seed = draw(st.integers(0, 2**16))
    return torch.cat([spread_rows(any_numbers, 2 * D + draw(sizes(1, 5)), D, seed), any_numbers(k, D, seed + 1)]), k


noisy = any_rows()


@st.composite
def encodings(draw):
    """Sinusoidal encodings of N positions that determine the rotation well, a number of steps, and the next ten encodings."""
    D, k = 2 * draw(sizes(1, 2)), draw(sizes(1, 5))
    N = 5 * D + draw(sizes(1, 6))
    angles = torch.arange(N + 10)[:, None] * speeds(D, draw(st.sampled_from([4.0, 6.0])))
    table = torch.stack([angles.sin(), angles.cos()], -1).reshape(N + 10, D)
    return table[:N].clone(), k, table[N - k:].clone()


FIVE = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [1.0, 3.0], [2.0, 2.0]], dtype=torch.float64)


@exercise.check(points=1.5, examples=12, hint="Multiply your M by the column R[0] and compare with R[k]. If M.mT @ R[0] fits instead, "
                                              "think about what a solver for A X = B returns when the encodings are its rows.",
                kept="says what M is for, on the encodings themselves and beyond the end of the table; a transposed M shows here at once")
@given(encodings())
def it_moves_encodings_on(student, case):
    """On sinusoidal encodings, M r_n = r_(n+k), also for positions that were not in the table."""
    R, k, later = case
    M = student(R, k)
    assert_close((M @ R[0]), R[k], what="M r_0, against r_k,")
    assert_close(later[:-k] @ M.mT, later[k:], what="M r_n at the end of the table and beyond, against r_(n+k),")


@st.composite
def moved_by_any_matrix(draw):
    """k rows, and after them the same k rows times a matrix that is no rotation."""
    D = draw(sizes(1, 3))
    k = 2 * D + draw(sizes(0, 3))
    seed = draw(st.integers(0, 2**16))
    rows, matrix = spread_rows(whole_numbers, k, D, seed), whole_numbers(D, D, seed + 1)
    return torch.cat([rows, rows @ matrix.mT]), k, matrix


@exercise.check(points=1, examples=12, hint="Take D = 1 and the numbers 1, 2, 3, 2, 4, 6 with k = 3. Which 1 x 1 matrix takes each of the "
                                            "first three to its successor three places on? Nothing says that M must be a rotation.",
                kept="whole numbers that can be solved by hand, and an M that is no rotation: who fits a rotation sees why that was not "
                     "asked")
@given(moved_by_any_matrix())
def it_finds_any_linear_map(student, case):
    """If some matrix moves every row on by k exactly, M is that matrix."""
    R, k, matrix = case
    assert_close(student(R, k), matrix, what="M")


@exercise.check(points=1.5, examples=15, hint="Write down the sum of squares for D = 1, put its derivative to zero, and compare with what "
                                              "you compute. Which n take part: all for which both n and n + k lie in the table?")
@given(noisy)
def no_other_matrix_fits_better(student, case):
    """Where no matrix fits exactly, the derivative of the sum of squares vanishes at M."""
    R, k = case
    before, after = R[:-k], R[k:]
    M = student(R, k)
    assert_close(before.mT @ before @ M.mT / len(before), before.mT @ after / len(before),
                 what="the mean of r_n (M r_n)^T, against the mean of r_n r_(n+k)^T,")


@exercise.check(points=0.5, examples=8, hint="If R changed, which line writes into it, or into a slice of it (a slice is no copy)? Anything "
                                             "else the checks above tell better.")
@given(noisy)
def the_input_stays_as_it_was(student, case):
    """The encodings that were passed in are unchanged afterwards (and used)."""
    R, k = case
    assert_close(student.arguments_after(R, k)[0], R, what="R after the call")
    assert_answered(student, (FIVE, 1), (FIVE ** 2, 1), case)
