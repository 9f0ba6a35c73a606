"""Public half of the exercise `layer_norm`."""

from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.properties import assert_answered
from autograder.strategies import KINDS, fillers, leading, on_grid, sizes
from autograder.student import floats

FORBIDDEN = ("torch.nn.functional.layer_norm", "torch.nn.LayerNorm", "torch.layer_norm", "torch.native_layer_norm",
             "torch.nn.functional.group_norm", "torch.nn.GroupNorm", "torch.group_norm")


def returns(X, gamma, beta, eps=1e-5):
    return {"Y": floats(*X.shape)}


exercise = Exercise(__name__, title="LayerNorm as a function", returns=returns, forbids=FORBIDDEN)


@lru_cache(maxsize=None)
def tokens(*, batch=leading(), low=1, narrowest=2, kinds=KINDS):
    """Draws (X, gamma, beta): X ... x N x D from `low` tokens and `narrowest` features on, each token with a variance of 0.25 or more."""
    return st.tuples(batch, sizes(low, 4), sizes(narrowest, 6), fillers(kinds)).map(_fill)


def _fill(drawn):
    shape, N, D, filler = drawn
    X, gamma, beta = filler((*shape, N, D), (D,), (D,))
    return spread(X), gamma, beta


def spread(X):
    """X, with each token that varies too little for float32 (or lies too far from 0) replaced by -2, 0, 2, -2, ..."""
    ramp = (torch.arange(X.shape[-1]) % 3 - 1).to(X.dtype) * 2
    varied = (X.var(-1, correction=0, keepdim=True) >= 0.25) & (X.mean(-1, keepdim=True).abs() <= 1)
    return torch.where(varied, X, ramp)


def normalised(X, eps):
    """X minus its mean, token by token, over the root of variance plus eps; and that root, ... x N x 1."""
    centred = X - X.mean(-1, keepdim=True)
    root = (centred.square().mean(-1, keepdim=True) + eps).sqrt()
    return centred / root, root


def plain_parameters(X):
    """gamma and beta that do nothing: ones and zeros, D of each."""
    return torch.ones(X.shape[-1], dtype=X.dtype), torch.zeros(X.shape[-1], dtype=X.dtype)


def assert_parallel(Y, X, *, what="Y"):
    """Fail unless every row of Y is a positive multiple of the row of X minus its mean."""
    centred = X - X.mean(-1, keepdim=True)
    length = Y.norm(dim=-1, keepdim=True)
    assert_true((length > 1e-3).all(), f"a token of {what} has hardly any length, although its entries differ", what=what)
    assert_close(Y / length, centred / centred.norm(dim=-1, keepdim=True), what=f"{what}, each token scaled to length 1,")


def assert_ordered(Y, X, *, what="Y"):
    """Fail unless the largest entry of each token of X becomes larger in Y than the smallest."""
    best, worst = (Y.gather(-1, place) for place in (X.argmax(-1, keepdim=True), X.argmin(-1, keepdim=True)))
    assert_true((best > worst).all(), f"the largest entry of a token does not stay above its smallest in {what}", what=what)


def assert_normalising(Y, X, *, what="Y"):
    """Fail unless Y can be 16 X normalised: each token in its old order, and no wider than a normalised token can be."""
    assert_ordered(Y, X, what=what)
    width = Y.amax(-1) - Y.amin(-1)
    assert_true((width <= 2.01 * X.shape[-1] ** 0.5).all(), f"a token of {what} is far too wide to be normalised", what=what)


def assert_mirrored(Y, Y_minus, beta, *, what="Y"):
    """Fail unless Y = f(X) and Y_minus = f(-X) lie on opposite sides of beta, and not at beta itself."""
    assert_true((Y - beta).abs().max() > 1e-6, f"{what} does not depend on the token", what=what)
    assert_close((Y + Y_minus) / 2, beta.expand(Y.shape), what=f"the mean of {what} for X and for -X")


drawn_tokens = tokens()
UNEVEN = torch.tensor([[0.0, 1.0, 4.0], [2.0, 0.0, 0.5]], dtype=torch.float64)


@exercise.check(points=1, hint="Take one token, [0, 2, 4], with gamma = 1 and beta = 0. Its mean is 2, so the result is a "
                               "multiple of [-2, 0, 2]. Over which axis did you take the mean, and was that axis kept?",
                kept="the first half of the formula on paper: a wrong variance and a wrong eps keep this point")
@given(drawn_tokens)
def a_token_is_centred_at_its_own_mean(student, case):
    """With gamma = 1 and beta = 0, each token becomes a positive multiple of itself minus the mean of its D entries."""
    X = case[0]
    Y = student(16 * X, *plain_parameters(X))
    assert_close(Y.mean(-1), 0.0, what="the mean of each token of Y")
    assert_parallel(Y, X)


@exercise.check(points=1, hint="The token [-16, 16] has the variance 256, so with gamma = 1 and beta = 0 the result is [-1, "
                               "1] to five digits. Print your variance: by what number do you (or torch.var, if you leave it "
                               "alone) divide the sum of the squares?",
                kept="the second half of the formula on paper: an eps that is never used and a forgotten centring (RMSNorm) keep "
                     "this point")
@given(drawn_tokens)
def a_token_has_variance_one(student, case):
    """With gamma = 1 and beta = 0, the squares of the D entries of each token have the mean 1."""
    X = case[0]
    Y = student(16 * X, *plain_parameters(X))
    assert_ordered(Y, X)
    assert_close(Y.square().mean(-1), 1.0, what="the mean square of each token of Y")


@exercise.check(points=1, hint="Call your function on one token, first with gamma = [1, 1] and beta = [0, 0], then with gamma "
                               "= [2, 3], then with beta = [5, 7] as well. What happens to each entry?")
@given(drawn_tokens)
def gamma_scales_and_beta_shifts(student, case):
    """Entry i of the normalised token is multiplied by gamma_i; then beta_i is added."""
    X, gamma, beta = case
    assert_normalising(student(16 * X, *plain_parameters(X)), X)
    plain = student(X, *plain_parameters(X))
    assert_close(student(X, gamma, beta), gamma * plain + beta, what="Y, against gamma * Y(gamma = 1, beta = 0) + beta,")


@exercise.check(points=1, hint="eps matters only where it is not small. Work out the token [-1, 1] with eps = 3: the variance "
                               "is 1, so the result is [-1, 1] / 2. What does yours give?")
@given(drawn_tokens, st.sampled_from([0.1, 0.5, 1.0, 3.0]))
def eps_joins_the_variance(student, case, eps):
    """With another eps, the mean square of a normalised token is variance / (variance + eps)."""
    X = case[0]
    variance = (X - X.mean(-1, keepdim=True)).square().mean(-1)
    Y = student(X, *plain_parameters(X), eps=eps)
    assert_close(Y.square().mean(-1), variance / (variance + eps), what="the mean square of each token of Y")


@exercise.check(points=0.5, examples=12, hint="Compare the tokens [0, 1, 2] and [7, 8, 9]: once the mean is gone, are they "
                                              "not the same?",
                kept="says what centring is for; it compares the answer with itself, so that a wrong variance keeps this point")
@given(drawn_tokens, st.sampled_from([1.0, -1.0, 0.5]))
def a_shift_of_a_token_changes_nothing(student, case, shift):
    """Adding one number to all D entries of a token changes nothing, whatever is added to the other tokens."""
    X = spread(on_grid(case[0]))
    signs = (-1.0) ** torch.arange(X.shape[-2], dtype=X.dtype)
    assert_normalising(student(16 * X, *plain_parameters(X)), X)
    before = student(X, *plain_parameters(X))
    assert_close(student(X + shift * signs[:, None], *plain_parameters(X)), before, what="Y after the tokens were shifted")


@exercise.check(points=0.5, examples=15, hint="Normalise a sentence of three tokens, then its first token alone (as a 1 x D "
                                              "matrix). Does the first row agree? And does the code count its axes from the "
                                              "end?",
                kept="says how LayerNorm differs from batch normalisation, which no single token shows; it compares the answer with "
                     "itself")
@given(tokens(low=2), st.integers(0, 3), fillers(("normal",)))
def a_token_does_not_see_the_others(student, case, n, filler):
    """The result for a token stays the same when all other tokens are replaced, with none, one and two leading dimensions."""
    X, gamma, beta = case
    n = n % X.shape[-2]
    assert_normalising(student(16 * X, *plain_parameters(X)), X)
    others = spread(3 * filler(tuple(X.shape))[0])
    others[..., n, :] = X[..., n, :]
    before, after = student(X, gamma, beta), student(others, gamma, beta)
    assert_close(after[..., n, :], before[..., n, :], what=f"token {n} of Y after the other tokens were replaced")


@st.composite
def with_constant_token(draw):
    """(X, gamma, beta) whose first token has D equal entries, exact also in float32."""
    shape, N, D = draw(leading()), draw(sizes(2, 3)), draw(st.sampled_from([2, 4]))
    X, gamma, beta = draw(fillers())((*shape, N, D), (D,), (D,))
    X = spread(X)
    X[..., 0, :] = on_grid(X[..., 0, :1])
    return X, gamma, beta


@exercise.check(points=0.5, examples=12, hint="The token [3, 3] has the variance 0. By what do you divide, and what is left "
                                              "of the token once its mean is gone?",
                kept="the one token that divides by 0, which every padded batch holds: it pays for that alone")
@given(with_constant_token())
def a_constant_token_becomes_beta(student, case):
    """A token whose entries are all equal becomes beta: no NaN, nothing else; the other tokens do not become beta."""
    X, gamma, beta = case
    assert_normalising(student(16 * X, *plain_parameters(X))[..., 1:, :], X[..., 1:, :])
    Y = student(X, gamma, beta)
    assert_close(Y[..., 0, :], beta.expand(X[..., 0, :].shape), what="the constant token of Y, against beta,")


@exercise.check(points=0.5, examples=8, hint="If one of them changed, which line writes into X, gamma or beta (`X -= ...`, an operation "
                                             "ending in _)? Anything else the checks above tell better.")
@given(drawn_tokens)
def the_inputs_stay_as_they_were(student, case):
    """X, gamma and beta are unchanged afterwards (and used)."""
    for name, tensor, left in zip(("X", "gamma", "beta"), case, student.arguments_after(*case)):
        assert_close(left, tensor, what=f"{name} after the call")
    assert_answered(student, (UNEVEN, *plain_parameters(UNEVEN)), (UNEVEN.flip(-1), *plain_parameters(UNEVEN)), case)
