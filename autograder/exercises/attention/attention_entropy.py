"""Public half of the exercise `attention_entropy`."""

import math
from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.strategies import distributions, leading, sizes
from autograder.student import floats


def returns(alpha):
    return {"the entropy": floats(*alpha.shape[:-1])}


@lru_cache(maxsize=None)
def weights(*, low=2, zeros=False):
    """Draws weights of one to four dimensions; half of them are square maps, as in self-attention, where a wrong axis keeps the shape."""
    square = sizes(2, 5).flatmap(lambda N: distributions(low=N, high=N, dims=2, zeros=zeros))
    return st.one_of(distributions(low=low, zeros=zeros), square)


exercise = Exercise(__name__, title="The entropy of attention", returns=returns)


@exercise.check(points=1, examples=12, hint="For two equal weights the entropy is ln 2 = 0.693. What do you get? The logarithm is the natural "
                                            "one, and the sum runs over the last axis only.",
                kept="a value that everybody knows: it tells nats from bits and a sum from a mean on a pocket calculator")
@given(leading(), sizes(1, 8))
def uniform_weights_give_ln_N(student, batch, N):
    """N equal weights have the entropy ln N, in nats."""
    alpha = torch.full((*batch, N), 1 / N, dtype=torch.float64)
    assert_close(student(alpha), math.log(N), what="the entropy of N equal weights")


@exercise.check(points=1, examples=12, hint="0 times ln 0 counts as 0 here, but in floating point 0 * -inf is NaN. Where does your code meet a weight of 0?")
@given(leading(), sizes(2, 6), st.integers(0, 5))
def a_single_weight_gives_zero(student, batch, N, which):
    """A row with one weight of 1 and zeros elsewhere has the entropy 0, and any other row more."""
    alpha = torch.zeros(*batch, N, dtype=torch.float64)
    alpha[..., which % N] = 1
    assert_true((student((alpha + 1) / (N + 1)) > 0.1).all(), "a row of several weights does not have a positive entropy", what="the entropy")
    assert_close(student(alpha), 0.0, what="the entropy of a one-hot row")


@exercise.check(points=1, examples=12, hint="Entropy measures spread: it is never negative and at most ln N. Compute it by hand for (1/4, 3/4): 0.562.")
@given(weights())
def mixing_two_rows_that_do_not_overlap(student, alpha):
    """Half a row beside half of another one, keys apart, has the mean of their entropies plus ln 2."""
    flipped = alpha.flip(-1) ** 2
    flipped = flipped / flipped.sum(-1, keepdim=True)
    H = student(alpha)
    assert_true((H >= -1e-6).all(), "an entropy is negative or not a number", what="the entropy")
    mean = (H + student(flipped)) / 2
    both = student(torch.cat([alpha, flipped], -1) / 2)
    assert_close(both, mean + math.log(2), what="the entropy of two rows side by side")
