"""Public half of the exercise `gradient_saliency`."""

from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.properties import assert_model_as_it_was
from autograder.strategies import fillers, sizes
from autograder.student import Given, floats


def returns(model, X):
    return {"the saliency": floats(model.args[0].shape[0], X.shape[0])}


exercise = Exercise(__name__, title="Gradient saliency", returns=returns)


@lru_cache(maxsize=None)
def linear(low=2):
    """Draws the weights K x N x D of a linear model, no row of them small, and tokens N x D."""
    return st.tuples(sizes(2, 3), sizes(low, 4), sizes(low, 4), fillers()).map(_linear)


def _linear(drawn):
    K, N, D, filler = drawn
    W, X = filler((K, N, D), (N, D))
    return torch.where(W.abs().amax(-1, keepdim=True) < 0.1, torch.ones(D, dtype=torch.float64), W), X


weights_and_tokens = linear()


def lengths(G):
    """The Euclidean lengths of the rows of K x N gradients of D numbers, over their sum: K x N."""
    size = G.square().sum(-1).sqrt()
    return size / size.sum(-1, keepdim=True)


@exercise.check(points=1.5, hint="For a linear model, the gradient of output k with respect to x_n is W[k, n], whatever X is. Take K = 1, N = 2 and the rows "
                                 "(3, 4) and (0, 5) of W: both have length 5. What do you get?",
                kept="3 and 4 make 5: the lengths can be read off the weights, so a wrong norm shows before anything has to be "
                     "differentiated")
@given(weights_and_tokens)
def a_linear_model_is_read_off_its_weights(student, case):
    """For a linear model, row k holds the lengths of the weight vectors of output k, divided by their sum."""
    W, X = case
    assert_close(student(Given("LinearReadout", W), X), lengths(W), what="the saliency")


@exercise.check(points=0.5, hint="Add up a row, then a column: which of the two belongs to one output? If output 0 does not depend on a token at all, "
                                 "what should stand there?",
                kept="pays for the division alone, and for a token that must get exactly 0: who takes another norm of the gradients "
                     "keeps these points")
@given(weights_and_tokens, st.integers(0, 3))
def rows_sum_to_one(student, case, which):
    """Each row sums to 1, and a token has 0 exactly where the output ignores it."""
    W, X = case
    ignored = which % X.shape[0]
    W = W.clone()
    W[0, ignored] = 0
    saliency = student(Given("LinearReadout", W), X)
    assert_close(saliency[0, ignored], 0.0, what="the saliency of a token that output 0 ignores")
    assert_true((saliency.flatten()[torch.arange(saliency.numel()) != ignored] > 1e-6).all(), "a token that an output depends on has no positive saliency",
                what="the saliency")
    assert_close(saliency.sum(-1), 1.0, what="the sum of each row")


@exercise.check(points=1, examples=15, hint="Call your function on a model with two outputs, then on the model with the second output only. Is "
                                            "anything carried over from one output to the next, or shared between them (a softmax, a loss, one sum for "
                                            "all)?",
                kept="compares an output among others with the same output alone, and so names gradients that pile up or are shared")
@given(weights_and_tokens)
def every_output_for_itself(student, case):
    """Row k is what comes out for a model that has output k alone, and does not change if other outputs do."""
    W, X = case
    K, N = W.shape[:2]
    W = W.clone()
    W[-1, 0] = 0
    saliency = student(Given("LinearReadout", W), X)
    assert_close(saliency[-1, 0], 0.0, what="the saliency of a token that the last output ignores")
    assert_close(saliency[-1].sum(), 1.0, what="the sum of the last row")
    alone = student(Given("LinearReadout", W[-1:].clone()), X)
    assert_close(saliency[-1:], alone, what="the row of the last output, against what comes out for that output alone,")


@exercise.check(points=0.5, examples=15, hint="A linear model has the same gradient everywhere. Does your answer use the tokens for anything but to "
                                              "differentiate there?",
                kept="tells the gradient from gradient times input, which is also called saliency, by moving the tokens under a model "
                     "that is straight")
@given(weights_and_tokens, fillers(("normal",)))
def a_linear_model_has_the_same_saliency_everywhere(student, case, filler):
    """For a linear model, other tokens give the same saliency, and so does a model with twice the outputs."""
    W, X = case
    W = W.clone()
    W[0, 0] = 0
    elsewhere, = filler(tuple(X.shape))
    here = student(Given("LinearReadout", W), X)
    assert_close(here[0, 0], 0.0, what="the saliency of a token that output 0 ignores")
    assert_close(here.sum(-1), 1.0, what="the sum of each row")
    assert_close(student(Given("LinearReadout", 2 * W), X), here, what="the saliency of twice the outputs")
    assert_close(student(Given("LinearReadout", W), elsewhere), here, what="the saliency at other tokens")


@exercise.check(points=1, examples=12, hint="Take LinearReadout with W = zeros for one output: its gradients are all 0, and 0 / 0 is NaN. What should "
                                            "the row be?")
@given(weights_and_tokens, st.integers(0, 2))
def an_output_without_gradient_gets_zeros(student, case, which):
    """The row of an output that depends on nothing is 0, and the other rows are as they were."""
    W, X = case
    k = which % W.shape[0]
    dead = W.clone()
    dead[k] = 0
    others = [i for i in range(W.shape[0]) if i != k]
    before = student(Given("LinearReadout", W), X)
    saliency = student(Given("LinearReadout", dead), X)
    assert_close(saliency[k], 0.0, what="the row of an output whose gradients are all 0")
    assert_close(saliency[others].sum(-1), 1.0, what="the sum of each other row")
    assert_close(saliency[others], before[others], what="each other row")


@lru_cache(maxsize=None)
def curved(low=1):
    """Draws a curved model, as V and U, and tokens."""
    return st.tuples(sizes(1, 3), sizes(low, 4), sizes(low, 4), sizes(2, 3), fillers(("normal", "uniform"))).map(
        lambda d: tuple(d[4]((d[0], d[1], d[3]), (d[2], d[3]), (d[1], d[2]))))


@exercise.check(points=1, hint="The derivative of sin is cos, so this model's gradient depends on X. Do you differentiate at the X that you were "
                               "given, and with respect to X rather than to the model's own parameters?")
@given(curved(low=2))
def a_curved_model_is_differentiated_at_the_tokens(student, case):
    """For a model that is a sum of sines, row k holds the lengths of the gradients worked out by hand at X."""
    V, U, X = case
    gradients = (V * torch.cos(X @ U)) @ U.mT
    assert_close(student(Given("CurvedReadout", V, U), X), lengths(gradients), what="the saliency")


@exercise.check(points=0.5, examples=8, hint="If the message says that X or the model was changed: differentiate at a copy, X.detach().clone(), and compare the "
                                           "model's parameters and mode before and after a call. If not, the checks above say more.")
@given(weights_and_tokens)
def the_tokens_stay_as_they_were(student, case):
    """The tokens and the model that were passed in are unchanged afterwards, and the saliency is one."""
    W, X = case
    model = Given("LinearReadout", torch.cat([W[:, :1] * 0, W[:, 1:]], 1))
    for given_ in (model, model.training()):
        model_after, X_after = student.arguments_after(given_, X)
        assert_close(X_after, X, what="X after the call")
        assert_model_as_it_was(model_after, student.condition(given_))
    assert_true(not student.left_requiring_grad(model, X)[1], "X was changed by the call: it requires a gradient now", what="X")
    saliency = student(model, X)
    assert_close(saliency[:, 0], 0.0, what="the saliency of a token that all outputs ignore")
    assert_close(saliency.sum(-1), 1.0, what="the sum of each row")
