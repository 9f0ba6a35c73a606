"""Public half of the exercise `layer_norm_gradient`."""

from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.exercises.layernorm.layer_norm import FORBIDDEN, UNEVEN, normalised, spread
from autograder.properties import assert_answered
from autograder.strategies import KINDS, fillers, leading, sizes
from autograder.student import floats


def returns(dY, X, gamma, eps=1e-5):
    D = X.shape[-1]
    return {"dX": floats(*X.shape), "dgamma": floats(D), "dbeta": floats(D)}


exercise = Exercise(__name__, title="The gradient of LayerNorm", returns=returns,
                    forbids=(*FORBIDDEN, "torch.native_layer_norm_backward"))


@lru_cache(maxsize=None)
def upstream(*, batch=leading(), low=1, kinds=KINDS):
    """Draws (dY, X, gamma): the gradient that arrives, tokens of variance 0.25 or more, and the scale."""
    return st.tuples(batch, sizes(low, 4), sizes(3, 5), fillers(kinds)).map(_fill)


def _fill(drawn):
    shape, N, D, filler = drawn
    dY, X, gamma = filler((*shape, N, D), (*shape, N, D), (D,))
    return dY / 4, spread(X), gamma


drawn_upstream = upstream()
one_sentence = upstream(batch=st.just(()))   # where only dX is asked for: dgamma and dbeta of a batch have checks of their own


def assert_like_a_gradient(student, dtype=torch.float64):
    """Fail unless, for one token, dX doubles with dY, and its first entry is positive where dY is (1, 0, 0), but not dY itself."""
    dY, X = torch.tensor([[1.0, 0.0, 0.0]], dtype=dtype), torch.tensor([[-1.0, 0.0, 1.0]], dtype=dtype)
    twice, once = (student(factor * dY, X, torch.ones(3, dtype=dtype))[0] for factor in (2, 1))
    assert_close(twice, 2 * once, what="dX for twice the dY, against twice dX,")
    first = once[0, 0]
    possible = first > 0.01 and (first - 1).abs() > 0.01
    sentence = "for X = [-1, 0, 1], gamma = 1 and dY = [1, 0, 0] the first entry of dX is not positive, or is dY itself"
    assert_true(possible, sentence, what="dX")


@exercise.check(points=1, hint="beta is added to every token, so every token sends something back to it. For two tokens with "
                               "dY = [1, 0] and [2, 5], dbeta is [3, 5]. Which axes have to go, in a batch too?")
@given(drawn_upstream)
def dbeta_collects_from_all_tokens(student, case):
    """dbeta is the sum of dY over all tokens, those of a batch included."""
    dY, X, gamma = case
    assert_close(student(dY, X, gamma)[2], dY.reshape(-1, X.shape[-1]).sum(0), what="dbeta")


@exercise.check(points=1, hint="gamma_i multiplies entry i of every normalised token. With one token X = [0, 2] and dY = [3, "
                               "5], dgamma is [-3, 5] to four digits. What multiplies dY, and which axes are summed?",
                kept="pays for dgamma alone, as the check before it does for dbeta: a wrong dX keeps this point")
@given(drawn_upstream)
def dgamma_collects_from_all_tokens(student, case):
    """dgamma is the sum over all tokens of dY times the normalised token."""
    dY, X, gamma = case
    X_hat, _ = normalised(X, 1e-5)
    assert_close(student(dY, X, gamma)[1], (dY * X_hat).reshape(-1, X.shape[-1]).sum(0), what="dgamma")


@exercise.check(points=1, hint="Add the same small number to all entries of a token: the output does not move. So what do the "
                               "entries of its dX sum to? Which of the three terms takes care of that?",
                kept="follows from the shift that changes nothing, without any derivative; who forgot the variance's own term keeps "
                     "this point")
@given(one_sentence)
def dX_sums_to_zero_over_a_token(student, case):
    """The D entries of each token of dX sum to 0, and dX is as linear in dY as a gradient must be."""
    dY, X, gamma = case
    assert_like_a_gradient(student)
    other, both, dX = student(X / 4, X, gamma)[0], student(dY + X / 2, X, gamma)[0], student(dY, X, gamma)[0]
    assert_close(both, dX + 2 * other, what="dX for dY + X / 2, against dX for dY plus twice dX for X / 4,")
    assert_close(dX.sum(-1), 0.0, what="the sum of each token of dX")


@exercise.check(points=1.5, hint="Move one entry of X by h = 1e-4, recompute LayerNorm, and see how sum(dY * Y) changes: "
                                 "divided by h, it is that entry of dX. Try it on [0, 1, 3]. The mean and the variance move "
                                 "as well: are both of them in your formula?",
                kept="says what a gradient is, by moving X a little; it looks at dX alone, so that sums over the wrong tokens keep "
                     "this point")
@given(one_sentence, fillers(("normal",)))
def dX_agrees_with_finite_differences(student, case, filler):
    """dX times a small change of X is the change of sum(dY * Y)."""
    dY, X, gamma = case
    step, = filler(tuple(X.shape))
    dX, *_ = student(dY, X, gamma)
    h = 1e-4
    up, down = (normalised(X + sign * h * step, 1e-5)[0] * gamma for sign in (1, -1))
    assert_close((dX * step).sum(-1), (dY * (up - down)).sum(-1) / (2 * h), what="dX times a change of X, token by token,")


@exercise.check(points=1, examples=15, hint="With eps = 3 the token [-1, 1] is divided by 2, not by 1. Where in your formulas "
                                            "does the root occur, and is it the same root each time?")
@given(drawn_upstream, st.sampled_from([0.1, 1.0, 3.0]))
def eps_is_used_throughout(student, case, eps):
    """With another eps, dX and dgamma are those of the LayerNorm with that eps."""
    dY, X, gamma = case
    X_hat, _ = normalised(X, eps)
    dX, dgamma, _ = student(dY, X, gamma, eps=eps)
    assert_close(dgamma, (dY * X_hat).reshape(-1, X.shape[-1]).sum(0), what=f"dgamma at eps = {eps}")
    leaf = X.clone().requires_grad_()
    expected, = torch.autograd.grad((normalised(leaf, eps)[0] * gamma * dY).sum(), leaf)
    assert_close(dX, expected, what=f"dX at eps = {eps}")


@exercise.check(points=0.5, examples=15, hint="Each token is normalised by its own statistics. Does dX of one token change "
                                              "when you change dY or X of another?",
                kept="says which tokens meet in dX (none) where dgamma and dbeta collect from all; it compares the answer with itself")
@given(upstream(low=2), st.integers(0, 3), fillers(("normal",)))
def dX_of_a_token_is_its_own(student, case, n, filler):
    """dX of a token stays the same when the other tokens of X and dY are replaced, with none, one and two leading dimensions."""
    dY, X, gamma = case
    n = n % X.shape[-2]
    dY_new, X_new = filler(tuple(X.shape), tuple(X.shape))
    X_new = spread(X_new)
    for new, old in ((dY_new, dY), (X_new, X)):
        new[..., n, :] = old[..., n, :]
    assert_like_a_gradient(student)
    before = student(dY, X, gamma)[0]
    after = student(dY_new, X_new, gamma)[0]
    assert_close(after[..., n, :], before[..., n, :], what=f"token {n} of dX after the other tokens were replaced")


@exercise.check(points=0.5, examples=8, hint="If one of them changed, which line writes into dY, X or gamma (`dY *= gamma`, an operation "
                                             "ending in _)? Anything else the checks above tell better.")
@given(one_sentence)
def the_inputs_stay_as_they_were(student, case):
    """dY, X and gamma are unchanged afterwards (and used)."""
    for name, tensor, left in zip(("dY", "X", "gamma"), case, student.arguments_after(*case)):
        assert_close(left, tensor, what=f"{name} after the call")
    assert_answered(student, (UNEVEN / 4, UNEVEN, UNEVEN[0] + 1), (UNEVEN.flip(-1), UNEVEN, UNEVEN[0] + 1), case)
