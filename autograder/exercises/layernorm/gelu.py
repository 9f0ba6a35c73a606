"""Public half of the exercise `gelu`."""

import math
from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.properties import assert_answered
from autograder.strategies import fillers, sizes
from autograder.student import floats


def returns(X, approximate="none"):
    return {"gelu(X)": floats(*X.shape)}


exercise = Exercise(__name__, title="GELU", returns=returns, forbids=("torch.nn.functional.gelu", "torch.nn.GELU"))


@lru_cache(maxsize=None)
def numbers():
    """Draws a tensor of one to four dimensions, entries between about -6 and 6."""
    shapes = st.lists(sizes(1, 3), min_size=1, max_size=4).map(tuple)
    return st.tuples(shapes, fillers(), st.sampled_from([1.5, 2.0])).map(lambda drawn: drawn[2] * drawn[1](drawn[0])[0])


drawn_numbers = numbers()
FEW = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64)


def assert_gated(Y, Y_minus, X):
    """Fail unless Y = f(X) and Y_minus = f(-X) can come from f(x) = x g(x) with a gate g that rises from 0 to 1, g(x) + g(-x) = 1."""
    assert_close(Y - Y_minus, X, what="gelu(X) - gelu(-X), against X,")
    sides = torch.cat([Y.reshape(-1), Y_minus.reshape(-1)])
    inputs = torch.cat([X.reshape(-1), -X.reshape(-1)])
    dip = (inputs > -3) & (inputs < -0.1)
    small = (sides < 0) & (sides > -0.4)
    assert_true((small | ~dip).all(), "an input between -3 and -0.1 does not give a small negative number", what="gelu(X)")


@exercise.check(points=0.5, hint="Print your function at 1 and at -1: the first minus the second is 1. At -0.75 there is a "
                                 "dip below zero. Do you have it?",
                kept="two values and a subtraction show it: the tanh form, a sigmoid form and a wrong constant keep this point")
@given(drawn_numbers)
def the_gates_of_x_and_minus_x_sum_to_one(student, X):
    """gelu(x) - gelu(-x) is x, and a negative x near 0 gives a small negative number."""
    assert_gated(student(X), student(-X), X)


@exercise.check(points=1.5, hint="By hand: the probability that a standard normal variable is below 1 is .8413, so gelu(1) is "
                                 ".8413, and gelu(-1) is -.1587. What do you get at 1, at -1 and at 2 (1.9545)?")
@given(drawn_numbers)
def without_approximate_it_is_the_exact_form(student, X):
    """Without `approximate`, x is multiplied by the probability that a standard normal variable is below x."""
    assert_close(student(X), X * torch.special.ndtr(X), what="gelu(X)")


@exercise.check(points=1, hint="With approximate=\"tanh\", gelu(1) is .84119 and gelu(-2.7) is -.00889, where the exact form "
                               "has .84134 and -.00936. Check the constants and the power; is the argument compared with the "
                               "text \"tanh\"?")
@given(drawn_numbers)
def with_tanh_it_is_the_other_form(student, X):
    """With approximate="tanh", the result is that of the tanh formula."""
    exact = student(X, approximate="none")
    far = (exact - X * torch.special.ndtr(X)).abs().max() > 0.03
    assert_true(not far, "with approximate=\"none\" the result is far from GELU", what="gelu(X)")
    doubled = math.sqrt(8 / math.pi) * (X + 0.044715 * X * X * X)
    assert_close(student(X, approximate="tanh"), X / (1 + torch.exp(-doubled)), what="gelu(X, approximate=\"tanh\")")


@exercise.check(points=0.5, examples=12, hint="Far to the right GELU lets everything through, far to the left nothing. Print "
                                              "each part of your formula at 100. and at -100.: where does an infinity or a "
                                              "NaN appear?")
@given(st.lists(sizes(1, 3), min_size=1, max_size=3), st.sampled_from([10.0, 30.0, 100.0]))
def far_from_zero_it_opens_and_shuts(student, shape, size):
    """At 10, 30 and 100 the result is the input, at -10, -30 and -100 it is 0, in both forms."""
    X = torch.full(shape, size, dtype=torch.float64)
    for approximate in ("none", "tanh"):
        assert_close(student(X, approximate=approximate), X, what=f"gelu at {size:g}, approximate=\"{approximate}\",")
        assert_close(student(-X, approximate=approximate), 0.0, what=f"gelu at {-size:g}, approximate=\"{approximate}\",")


@exercise.check(points=0.5, examples=15, hint="GELU knows one number at a time. Does your code depend on the shape of X, or "
                                              "on the other entries? Try one entry, a row and a matrix.",
                kept="says that GELU knows one number at a time, where softmax and LayerNorm know a row; any gate of one number keeps "
                     "this point")
@given(drawn_numbers, st.integers(0, 80))
def each_entry_stands_alone(student, X, which):
    """Each entry of X gives the same by itself as inside a tensor of any shape."""
    which = which % X.numel()
    whole = student(X)
    assert_close(whole - student(-X), X, what="gelu(X) - gelu(-X), against X,")
    assert_close(student(X.reshape(-1)[which:which + 1].clone()), whole.reshape(-1)[which:which + 1], what="gelu of one entry alone")


@exercise.check(points=0.5, examples=8, hint="If X changed, which of your lines writes into it (`X *= ...`, an operation ending in _)? "
                                             "Anything else the checks above tell better.")
@given(drawn_numbers)
def the_input_stays_as_it_was(student, X):
    """X is unchanged afterwards (and used)."""
    for approximate in ("none", "tanh"):
        assert_close(student.arguments_after(X, approximate)[0], X, what="X after the call")
    assert_answered(student, (FEW,), (FEW + 1,), X)
