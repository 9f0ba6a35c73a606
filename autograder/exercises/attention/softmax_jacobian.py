"""Public half of the exercise `softmax_jacobian`."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.properties import assert_answered
from autograder.strategies import distributions, fillers, tensors
from autograder.student import floats


def returns(alpha):
    return {"J": floats(*alpha.shape, alpha.shape[-1])}


exercise = Exercise(__name__, title="The Jacobian of softmax", returns=returns)


QUARTERS = torch.tensor([0.5, 0.25, 0.25], dtype=torch.float64)


@exercise.check(points=1, hint="The weights always sum to 1. So what do their changes sum to, whatever score moves?",
                kept="follows from the weights' sum being 1, without any derivative; it can be checked on a printed matrix")
@given(distributions(low=2))
def rows_and_columns_sum_to_zero(student, alpha):
    """Every row and every column of J sums to 0, and raising a score raises its own weight."""
    J = student(alpha)
    inside = (alpha > 0.01) & (alpha < 0.99)
    assert_true((J.diagonal(dim1=-2, dim2=-1)[inside] > 1e-3).all(), "raising a score does not raise its own weight (the diagonal of J)", what="J")
    assert_close(J.sum(-1), 0.0, what="the sum of each row of J")
    assert_close(J.sum(-2), 0.0, what="the sum of each column of J")


@st.composite
def scores_and_step(draw):
    """Scores and a direction to move them in."""
    Z = draw(tensors(dims=1, low=2))
    step, = draw(fillers(("normal",)))(tuple(Z.shape))
    return Z, step


@exercise.check(points=1, hint="Move one score by a tiny h and watch the weights: (softmax(z + h e_j) - softmax(z)) / h should be column j of J.",
                kept="says what a Jacobian is, by moving the scores a little, and needs no formula to compare with")
@given(scores_and_step())
def agrees_with_finite_differences(student, case):
    """J times a small change of the scores is the change of the weights."""
    Z, step = case
    J = student(torch.softmax(Z, -1))
    h = 1e-4
    change = (torch.softmax(Z + h * step, -1) - torch.softmax(Z - h * step, -1)) / (2 * h)
    assert_close((J @ step[..., None])[..., 0], change, what="J times a change of the scores")


@exercise.check(points=0.5, examples=8, hint="If alpha changed, which line writes into it? Anything else the checks above tell better.")
@given(distributions())
def the_input_stays_as_it_was(student, alpha):
    """The weights that were passed in are unchanged afterwards (and used)."""
    assert_close(student.arguments_after(alpha)[0], alpha, what="alpha after the call")
    assert_answered(student, (QUARTERS,), (QUARTERS.flip(-1),), alpha)
