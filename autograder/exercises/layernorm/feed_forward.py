"""Public half of the exercise `feed_forward`."""

from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.properties import assert_answered
from autograder.strategies import KINDS, fillers, leading, sizes
from autograder.student import floats


def returns(X, W_1, b_1, W_2, b_2):
    return {"Y": floats(*X.shape)}


exercise = Exercise(__name__, title="The position-wise network", returns=returns)


@lru_cache(maxsize=None)
def networks(*, batch=leading(), low=1, kinds=KINDS):
    """Draws (X, W_1, b_1, W_2, b_2): X ... x N x D, M hidden units, weights between -1 and 1 or so."""
    return st.tuples(batch, sizes(low, 4), sizes(1, 4), sizes(1, 5), fillers(kinds)).map(_fill)


def _fill(drawn):
    shape, N, D, M, filler = drawn
    X, W_1, b_1, W_2, b_2 = filler((*shape, N, D), (D, M), (M,), (M, D), (D,))
    return X, W_1 / 2, b_1 / 2, W_2 / 2, b_2


drawn_networks = networks()
TWO = torch.tensor([[1.0, 3.0], [2.0, 0.5]], dtype=torch.float64)


def assert_responds(student, case):
    """Fail unless Y falls when X and b_1 rise, for W_1 above 0 and W_2 below 0."""
    X, W_1, b_1, W_2, b_2 = case
    weights, W_2, b_2 = torch.full_like(W_1, 1 / X.shape[-1]), torch.full_like(W_2, -3.0), torch.ones_like(b_2)
    low, high = (student(torch.full_like(X, 2 * size), weights, torch.full_like(b_1, size), W_2, b_2) for size in (-2.0, 2.0))
    assert_true((low - high > 0.1).all(), "for W_1 above 0 and W_2 below 0, Y does not fall when X and b_1 rise", what="Y")


@exercise.check(points=1, hint="Set W_2 to zero: what is left is b_2, for every token. Then double W_2 and b_2: what should "
                               "happen to Y? Is anything added or applied after the second map?",
                kept="says which step comes last, whatever the activation: a ReLU or the tanh form keeps this point")
@given(drawn_networks)
def the_last_step_is_the_second_map(student, case):
    """Y depends on W_2 and b_2 linearly: W_2 = 0 leaves b_2, and doubling both doubles Y."""
    X, W_1, b_1, W_2, b_2 = case
    assert_responds(student, case)
    empty = student(X, W_1, b_1, 0 * W_2, b_2)
    assert_close(empty, b_2.expand(X.shape), what="Y for W_2 = 0, against b_2,")
    Y = student(X, W_1, b_1, W_2, b_2)
    assert_close(student(X, W_1, b_1, -2 * W_2, -2 * b_2), -2 * Y, what="Y after W_2 and b_2 were multiplied by -2")


@exercise.check(points=1, examples=15, hint="Let b_1 be 8 everywhere, with small X and W_1. GELU then changes nothing, so Y "
                                            "must be (X W_1 + b_1) W_2 + b_2. Which of the four steps is missing, or at the "
                                            "wrong place? For b_1 = -8, what can still come through?",
                kept="takes the activation out, so that the order of maps and biases can be checked on paper: another "
                     "activation keeps this point")
@given(networks(kinds=("small integers", "uniform")))
def open_gates_leave_two_affine_maps(student, case):
    """Where all hidden units are far above 0, Y = (X W_1 + b_1) W_2 + b_2; where all are far below, Y = b_2."""
    X, W_1, _, W_2, b_2 = case
    W_1, W_2 = W_1 / X.shape[-1], W_2 / W_2.shape[0]
    b_1 = 8 + torch.arange(W_1.shape[-1], dtype=X.dtype) / 4
    shut = student(X, W_1, -b_1, W_2, b_2)
    assert_close(shut, b_2.expand(X.shape), what="Y with all hidden units far below 0, against b_2,")
    assert_close(student(X, W_1, b_1, W_2, b_2), (X @ W_1 + b_1) @ W_2 + b_2, what="Y with all hidden units far above 0")


@exercise.check(points=1.5, hint="Take D = 1, M = 1, all weights 1 and biases 0: then Y is GELU of X, .8413 for X = 1 and "
                                 "-.1587 for X = -1. Which function do you use between the maps, and in which form?")
@given(drawn_networks)
def gelu_stands_between_the_maps(student, case):
    """Each hidden unit goes through the exact GELU, between the two maps."""
    X, W_1, b_1, W_2, b_2 = case
    hidden = X @ W_1 + b_1
    assert_close(student(X, W_1, b_1, W_2, b_2), (hidden * torch.special.ndtr(hidden)) @ W_2 + b_2, what="Y")


@exercise.check(points=1, examples=15, hint="Call it on a sentence of three tokens and on its first token alone, as a 1 x D "
                                            "matrix. Then on a batch of two sentences. Does a row depend on its neighbours?",
                kept="says what position-wise means, on one token of a sentence; it compares the answer with itself, so that any "
                     "activation will do")
@given(networks(low=2), st.integers(0, 3), fillers(("normal",)))
def each_token_goes_through_alone(student, case, n, filler):
    """A token alone gives the same as within its sentence, and other tokens can be replaced, with none, one and two leading dimensions."""
    X, *weights = case
    n = n % X.shape[-2]
    assert_responds(student, case)
    others, = filler(tuple(X.shape))
    others[..., n, :] = X[..., n, :]
    whole, alone = student(X, *weights), student(X[..., n:n + 1, :].contiguous(), *weights)
    assert_close(alone, whole[..., n:n + 1, :], what=f"Y of token {n} alone")
    assert_close(student(others, *weights)[..., n, :], whole[..., n, :], what=f"token {n} of Y after the other tokens were replaced")


@exercise.check(points=0.5, examples=8, hint="If one of them changed, which line writes into X, a weight or a bias (`H += ...` on something "
                                             "you were given, an operation ending in _)? Anything else the checks above tell better.")
@given(drawn_networks)
def the_inputs_stay_as_they_were(student, case):
    """X, the weights and the biases are unchanged afterwards (and used)."""
    for name, tensor, left in zip(("X", "W_1", "b_1", "W_2", "b_2"), case, student.arguments_after(*case)):
        assert_close(left, tensor, what=f"{name} after the call")
    assert_answered(student, (TWO, TWO, TWO[1], TWO.mT.contiguous(), TWO[0]), (2 * TWO, TWO, TWO[1], TWO.mT.contiguous(), TWO[0]), case)
