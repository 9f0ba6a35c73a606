"""Staff half of the exercise `layer_norm`: reference, alternates, misconceptions, hidden checks."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.layernorm.layer_norm import (a_constant_token_becomes_beta, a_shift_of_a_token_changes_nothing,
                                                       a_token_does_not_see_the_others, a_token_has_variance_one,
                                                       a_token_is_centred_at_its_own_mean, drawn_tokens, eps_joins_the_variance, exercise,
                                                       gamma_scales_and_beta_shifts, the_inputs_stay_as_they_were, tokens)
from autograder.strategies import fillers, leading


@exercise.solution
def layer_norm(X, gamma, beta, eps=1e-5):
    """LayerNorm: each token minus its mean, over the root of its variance plus eps, times gamma, plus beta.

    X: float64 tensor ... x N x D, N tokens in rows; any number of leading batch dimensions.
    gamma, beta: scale and shift, D numbers each. eps: a positive number, added to the variance under the root.
    The variance is the mean of the D squares (not the sum over D - 1).
    Returns a tensor of the shape of X. X, gamma and beta are not changed.
    """
    centred = X - X.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return gamma * centred / torch.sqrt(variance + eps) + beta


any_eps = st.sampled_from([1e-5, 0.1, 1.0])


@exercise.hidden_check(points=2, hint="Work out one token of three features by hand, with gamma and beta that are not 1 and 0 "
                                      "and with eps = 1; then a batch.",
                       kept="gamma, beta and eps at once: the public checks hold gamma and beta against the answer's own plain result,"
                            " and vary eps without them")
@given(drawn_tokens, any_eps)
def agrees_with_the_reference(student, case, eps):
    """Agrees with the reference for any gamma, beta and eps, with none, one and two batch dimensions."""
    assert_close(student(*case, eps=eps), layer_norm(*case, eps=eps), what="Y")


scaled = st.tuples(drawn_tokens, st.sampled_from([2.0**-9, 2.0**-7, 32.0])).map(lambda drawn: (drawn[1] * drawn[0][0], *drawn[0][1:]))


@st.composite
def lone_peaks(draw):
    """One token of 16 to 130 features, all of them 0 but one, which lies 4, 6 or 11 standard deviations from the mean."""
    D = draw(st.sampled_from([16, 40, 130]))
    X = torch.zeros(1, D, dtype=torch.float64)
    X[0, draw(st.integers(0, D - 1))] = draw(st.sampled_from([8.0, -8.0]))
    return X, *draw(fillers(("normal",)))((D,), (D,))


@exercise.hidden_check(points=0.5, examples=16, hint="A token whose entries differ by a thousandth has a variance below eps. "
                                                     "Does eps still act as the formula says? And is anything cut off, where one "
                                                     "feature of many stands out?")
@given(st.one_of(scaled, lone_peaks()))
def small_and_large_tokens(student, case):
    """Agrees with the reference on tokens whose variance is about as small as eps, or very large, or comes from one feature of many."""
    assert_close(student(*case), layer_norm(*case), what="Y")


@exercise.hidden_check(points=0.5, examples=8, hint="The mean and the variance depend on X too. Does something inside cut the "
                                                    "gradient (detach, no_grad, .data, item)?")
@given(tokens(batch=leading(1), narrowest=3), fillers(("normal",)))
def the_gradient_is_right(student, case, filler):
    """Where gradients flow through Y, they are those of LayerNorm with respect to X, gamma and beta."""
    cotangent, = filler(tuple(case[0].shape))
    assert_close(student(*case), layer_norm(*case), what="Y")
    got = student.vjp((cotangent,), *case)
    if got is not None:
        for name, mine, theirs in zip(("X", "gamma", "beta"), got, layer_norm.vjp((cotangent,), *case)):
            assert_close(mine, theirs, what=f"the gradient with respect to {name}")


@exercise.alternate
def with_the_reciprocal_root(X, gamma, beta, eps=1e-5):
    variance, mean = torch.var_mean(X, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, gamma, (X - mean) * torch.rsqrt(variance + eps))


@exercise.alternate
def mean_of_squares_minus_square_of_mean(X, gamma, beta, eps=1e-5):
    mean = X.mean(-1, keepdim=True)
    variance = (X * X).mean(-1, keepdim=True) - mean ** 2
    return (X - mean) / (variance + eps) ** 0.5 * gamma + beta


@exercise.alternate
def from_the_standard_deviation(X, gamma, beta, eps=1e-5):
    std = X.std(-1, unbiased=False, keepdim=True)
    return gamma * ((X - X.mean(-1, keepdim=True)) / (std ** 2 + eps).sqrt()) + beta


@exercise.alternate
def through_the_library(X, gamma, beta, eps=1e-5):
    return torch.nn.functional.layer_norm(X, X.shape[-1:], gamma, beta, eps)


@exercise.alternate
def token_by_token_in_numpy(X, gamma, beta, eps=1e-5):
    import numpy as np
    rows = X.detach().numpy().reshape(-1, X.shape[-1])
    out = np.stack([(row - row.mean()) / np.sqrt(row.var() + eps) for row in rows]) * gamma.detach().numpy() + beta.detach().numpy()
    return torch.from_numpy(out.reshape(tuple(X.shape)))


@exercise.alternate
def in_single_precision(X, gamma, beta, eps=1e-5):
    X, gamma, beta = X.float(), gamma.float(), beta.float()
    mean = X.mean(-1, keepdim=True)
    variance = (X * X).mean(-1, keepdim=True) - mean ** 2
    return gamma * (X - mean) / torch.sqrt(variance + eps) + beta


@exercise.alternate
def with_a_centring_matrix(X, gamma, beta, eps=1e-5):
    D = X.shape[-1]
    C = torch.eye(D, dtype=X.dtype) - 1 / D
    centred = X @ C
    return (centred.mT / (torch.einsum("...nd,...nd->...n", centred, centred) / D + eps).sqrt()[..., None, :]).mT * gamma + beta


def _normalised(X, eps=1e-5, dim=-1, correction=0):
    """X minus its mean over the root of its variance plus eps, along `dim`: the common part of the answers below."""
    return (X - X.mean(dim, keepdim=True)) / (X.var(dim, correction=correction, keepdim=True) + eps).sqrt()


@exercise.alternate
def in_two_steps(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, eps) + beta


@exercise.alternate
def in_one_line(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean(-1, keepdim=True)) / (X.var(-1, correction=0, keepdim=True) + eps).sqrt() + beta


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(a_token_is_centred_at_its_own_mean, "mean and variance over the first axis (the batch, or the tokens where there is no batch)")
def over_the_first_axis(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, eps, 0) + beta


@_wrong(a_token_is_centred_at_its_own_mean, "mean and variance over the tokens instead of the features")
def over_the_tokens(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, eps, -2) + beta


@_wrong(a_token_is_centred_at_its_own_mean, "mean and variance over axis 1, which is right without a batch and wrong with one")
def over_axis_one(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, eps, 1) + beta


@_wrong(a_token_is_centred_at_its_own_mean, "one mean and variance for all tokens and features of a sentence")
def over_tokens_and_features(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, eps, (-2, -1)) + beta


@_wrong(a_token_is_centred_at_its_own_mean, "one mean and variance for the whole tensor")
def over_everything(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean()) / (X.var(correction=0) + eps).sqrt() + beta


@_wrong(a_token_is_centred_at_its_own_mean, "BatchNorm: mean and variance of each feature over batch and tokens")
def batch_norm(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X.reshape(-1, X.shape[-1]), eps, 0).reshape(X.shape) + beta


@_wrong(a_token_does_not_see_the_others, "the mean and the variance of the first token used for all")
def statistics_of_the_first_token(X, gamma, beta, eps=1e-5):
    first = X[..., :1, :]
    return gamma * (X - first.mean(-1, keepdim=True)) / (first.var(-1, correction=0, keepdim=True) + eps).sqrt() + beta


@_wrong(a_token_does_not_see_the_others, "tokens centred one by one but divided by a common standard deviation")
def common_standard_deviation(X, gamma, beta, eps=1e-5):
    centred = X - X.mean(-1, keepdim=True)
    return gamma * centred / (centred.square().mean() + eps).sqrt() + beta


@_wrong(a_token_has_variance_one,
        "the unbiased variance, with D - 1 in place of D "
        "(legitimate elsewhere, to estimate; LayerNorm divides by D)")
def unbiased_variance(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, eps, correction=1) + beta


@_wrong(eps_joins_the_variance, "eps added to the standard deviation, outside the root")
def eps_outside_the_root(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean(-1, keepdim=True)) / (X.std(-1, correction=0, keepdim=True) + eps) + beta


@_wrong(a_token_has_variance_one, "two departures at once: the unbiased standard deviation, and eps outside the root")
def unbiased_and_eps_outside(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean(-1, keepdim=True)) / (X.std(-1, keepdim=True) + eps) + beta


@_wrong(eps_joins_the_variance, "eps fixed at 1e-5, whatever is passed")
def eps_ignored(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X) + beta


@_wrong(a_constant_token_becomes_beta, "no eps at all: a constant token is divided by 0")
def no_eps(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, 0.0) + beta


@_wrong(a_constant_token_becomes_beta, "no eps, and zeros put in where NaN came out: a constant token loses its beta")
def zeros_for_nan(X, gamma, beta, eps=1e-5):
    return torch.nan_to_num(gamma * _normalised(X, 0.0) + beta)


@_wrong(eps_joins_the_variance, "a variance that is raised to eps where it is smaller (max or clamp) instead of increased by it")
def eps_as_a_floor(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean(-1, keepdim=True)) / X.var(-1, correction=0, keepdim=True).clamp(min=eps).sqrt() + beta


@_wrong(eps_joins_the_variance, "eps squared under the root")
def eps_squared(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, eps ** 2) + beta


@_wrong(eps_joins_the_variance, "eps under the root and outside it as well")
def eps_twice(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean(-1, keepdim=True)) / ((X.var(-1, correction=0, keepdim=True) + eps).sqrt() + eps) + beta


@_wrong(a_token_has_variance_one, "a division by the variance, without the root")
def divided_by_the_variance(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean(-1, keepdim=True)) / (X.var(-1, correction=0, keepdim=True) + eps) + beta


@_wrong(a_token_has_variance_one, "a square (** 2) in place of the root (** 0.5)")
def squared_for_the_root(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean(-1, keepdim=True)) / (X.var(-1, correction=0, keepdim=True) + eps) ** 2 + beta


@_wrong(a_token_has_variance_one, "tokens that are centred but never divided")
def centred_only(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean(-1, keepdim=True)) + beta


@_wrong(a_token_has_variance_one, "tokens divided by their length (the root of the sum, not of the mean, of the squares)")
def unit_length(X, gamma, beta, eps=1e-5):
    centred = X - X.mean(-1, keepdim=True)
    return gamma * centred / (centred.square().sum(-1, keepdim=True) + eps).sqrt() + beta


@_wrong(a_token_has_variance_one, "the mean absolute deviation in place of the standard deviation")
def mean_absolute_deviation(X, gamma, beta, eps=1e-5):
    centred = X - X.mean(-1, keepdim=True)
    return gamma * centred / (centred.abs().mean(-1, keepdim=True) + eps) + beta


@_wrong(a_token_has_variance_one, "the mean of the squares taken before centring, in place of the variance")
def second_moment_for_the_variance(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean(-1, keepdim=True)) / (X.square().mean(-1, keepdim=True) + eps).sqrt() + beta


@_wrong(a_token_is_centred_at_its_own_mean, "RMSNorm: no centring, only a division by the root mean square")
def rms_norm(X, gamma, beta, eps=1e-5):
    return gamma * X / (X.square().mean(-1, keepdim=True) + eps).sqrt() + beta


@_wrong(a_shift_of_a_token_changes_nothing, "a division by the standard deviation without centring")
def not_centred(X, gamma, beta, eps=1e-5):
    return gamma * X / (X.var(-1, correction=0, keepdim=True) + eps).sqrt() + beta


@_wrong(a_token_is_centred_at_its_own_mean, "the mean subtracted only after the division by the root mean square")
def centred_after_the_division(X, gamma, beta, eps=1e-5):
    return gamma * (X / (X.var(-1, correction=0, keepdim=True) + eps).sqrt() - X.mean(-1, keepdim=True)) + beta


@_wrong(a_token_is_centred_at_its_own_mean, "a rescaling from the smallest to the largest entry (min-max), not by mean and variance")
def min_max(X, gamma, beta, eps=1e-5):
    low, high = X.amin(-1, keepdim=True), X.amax(-1, keepdim=True)
    return gamma * (X - low) / (high - low + eps) + beta


@_wrong(gamma_scales_and_beta_shifts, "gamma left out")
def gamma_missing(X, gamma, beta, eps=1e-5):
    return _normalised(X, eps) + beta


@_wrong(gamma_scales_and_beta_shifts, "beta left out")
def beta_missing(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, eps)


@_wrong(gamma_scales_and_beta_shifts, "gamma and beta both left out")
def gamma_and_beta_missing(X, gamma, beta, eps=1e-5):
    return _normalised(X, eps)


@_wrong(gamma_scales_and_beta_shifts, "gamma multiplying beta as well: gamma (x + beta)")
def gamma_times_beta(X, gamma, beta, eps=1e-5):
    return gamma * (_normalised(X, eps) + beta)


@_wrong(a_token_is_centred_at_its_own_mean, "gamma and beta swapped")
def gamma_and_beta_swapped(X, gamma, beta, eps=1e-5):
    return beta * _normalised(X, eps) + gamma


@_wrong(a_token_has_variance_one, "a scale of 1 + gamma")
def one_plus_gamma(X, gamma, beta, eps=1e-5):
    return (1 + gamma) * _normalised(X, eps) + beta


@_wrong(gamma_scales_and_beta_shifts, "gamma and beta applied before the normalisation")
def affine_first(X, gamma, beta, eps=1e-5):
    return _normalised(gamma * X + beta, eps)


@_wrong(gamma_scales_and_beta_shifts, "beta subtracted")
def beta_subtracted(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, eps) - beta


@_wrong(gamma_scales_and_beta_shifts, "the first entries of gamma and beta used for all features")
def first_entry_for_all(X, gamma, beta, eps=1e-5):
    return gamma[0] * _normalised(X, eps) + beta[0]


@_wrong(a_token_is_centred_at_its_own_mean, "the token added again (a residual connection that the formula does not have)")
def residual_added(X, gamma, beta, eps=1e-5):
    return X + gamma * _normalised(X, eps) + beta


@_wrong(the_inputs_stay_as_they_were, "a LayerNorm that centres X in place")
def centres_in_place(X, gamma, beta, eps=1e-5):
    X -= X.mean(-1, keepdim=True)
    return gamma * X / (X.square().mean(-1, keepdim=True) + eps).sqrt() + beta


@_wrong(the_inputs_stay_as_they_were, "a LayerNorm that overwrites gamma")
def overwrites_gamma(X, gamma, beta, eps=1e-5):
    Y = gamma * _normalised(X, eps) + beta
    gamma.fill_(1.0)
    return Y


@_wrong(the_gradient_is_right, "a mean and a variance through which no gradient flows")
def statistics_detached(X, gamma, beta, eps=1e-5):
    mean, variance = X.mean(-1, keepdim=True).detach(), X.var(-1, correction=0, keepdim=True).detach()
    return gamma * (X - mean) / (variance + eps).sqrt() + beta


@_wrong(small_and_large_tokens, "an eps of 1e-6 in place of 1e-5 where none is passed")
def another_default(X, gamma, beta, eps=1e-6):
    return gamma * _normalised(X, eps) + beta


@_wrong(agrees_with_the_reference, "a LayerNorm computed in half precision")
def in_half_precision(X, gamma, beta, eps=1e-5):
    return (gamma.half() * _normalised(X.half(), eps) + beta.half()).double()


@_wrong(small_and_large_tokens, "a normalised token that is clamped to the range from -3 to 3")
def clamped(X, gamma, beta, eps=1e-5):
    return gamma * _normalised(X, eps).clamp(-3, 3) + beta
