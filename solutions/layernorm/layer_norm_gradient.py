"""Staff half of the exercise `layer_norm_gradient`: reference, alternates, misconceptions, hidden checks."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.layernorm.layer_norm_gradient import (dbeta_collects_from_all_tokens, dgamma_collects_from_all_tokens,
                                                                drawn_upstream, dX_agrees_with_finite_differences,
                                                                dX_of_a_token_is_its_own, dX_sums_to_zero_over_a_token,
                                                                eps_is_used_throughout, exercise, the_inputs_stay_as_they_were)


@exercise.solution
def layer_norm_gradient(dY, X, gamma, eps=1e-5):
    """The gradients of a loss with respect to X, gamma and beta, given its gradient dY with respect to Y = LayerNorm(X).

    dY, X: float64 tensors ... x N x D, N tokens in rows; any number of leading batch dimensions. gamma: D numbers.
    eps: as in the forward pass, added to the variance under the root.
    Returns (dX, dgamma, dbeta): a tensor of the shape of X, and twice D numbers, summed over all tokens of all sentences.
    None of the arguments is changed.
    """
    D = X.shape[-1]
    centred = X - X.mean(dim=-1, keepdim=True)
    root = torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)
    X_hat = centred / root
    G = dY * gamma
    dX = (G - G.mean(dim=-1, keepdim=True) - X_hat * (G * X_hat).mean(dim=-1, keepdim=True)) / root
    return dX, (dY * X_hat).reshape(-1, D).sum(dim=0), dY.reshape(-1, D).sum(dim=0)


@exercise.hidden_check(points=2.5, hint="Differentiate LayerNorm of one token of three features by hand, or let torch do it, "
                                        "and compare term by term.",
                       kept="the only one that asks for all three at once, with another eps and in batches too; the public ones pay "
                            "for each apart")
@given(drawn_upstream, st.sampled_from([1e-5, 0.1, 1.0]))
def agrees_with_the_reference(student, case, eps):
    """All three gradients agree with the reference for any gamma and eps, with none, one and two batch dimensions."""
    results = student(*case, eps=eps)
    for name, mine, theirs in zip(("dbeta", "dgamma", "dX"), reversed(results), reversed(layer_norm_gradient(*case, eps=eps))):
        assert_close(mine, theirs, what=name)


@exercise.alternate
def by_automatic_differentiation(dY, X, gamma, eps=1e-5):
    X, gamma = X.detach().clone().requires_grad_(), gamma.detach().clone().requires_grad_()
    beta = torch.zeros_like(gamma).requires_grad_()
    with torch.enable_grad():
        Y = torch.nn.functional.layer_norm(X, X.shape[-1:], gamma, beta, eps)
    return torch.autograd.grad(Y, (X, gamma, beta), dY)


@exercise.alternate
def by_the_chain_rule_step_by_step(dY, X, gamma, eps=1e-5):
    D, leading = X.shape[-1], tuple(range(X.dim() - 1))
    mean = X.sum(-1, keepdim=True) / D
    centred = X - mean
    variance = (centred ** 2).sum(-1, keepdim=True) / D
    inverse = (variance + eps) ** -0.5
    d_hat = dY * gamma
    d_variance = (d_hat * centred).sum(-1, keepdim=True) * -0.5 * inverse ** 3
    d_mean = -(d_hat * inverse).sum(-1, keepdim=True) - 2 / D * d_variance * centred.sum(-1, keepdim=True)
    dX = d_hat * inverse + d_variance * 2 * centred / D + d_mean / D
    return dX, torch.sum(dY * centred * inverse, dim=leading), torch.sum(dY, dim=leading)


@exercise.alternate
def through_the_jacobian(dY, X, gamma, eps=1e-5):
    D = X.shape[-1]
    mean, root = X.mean(-1, keepdim=True), (X.var(-1, correction=0, keepdim=True) + eps).sqrt()
    X_hat = (X - mean) / root
    J = (torch.eye(D, dtype=X.dtype) - 1 / D - X_hat[..., :, None] * X_hat[..., None, :] / D) / root[..., None]
    dX = torch.einsum("...i,...ij->...j", dY * gamma, J)
    return dX, torch.einsum("nd,nd->d", dY.reshape(-1, D), X_hat.reshape(-1, D)), dY.reshape(-1, D).sum(0)


@exercise.alternate
def token_by_token_in_numpy(dY, X, gamma, eps=1e-5):
    import numpy as np
    D = X.shape[-1]
    x, g, scale = X.detach().numpy().reshape(-1, D), dY.detach().numpy().reshape(-1, D), gamma.detach().numpy()
    dx, dgamma, dbeta = np.zeros_like(x), np.zeros(D), np.zeros(D)
    for n in range(len(x)):
        s = np.sqrt(x[n].var() + eps)
        h = (x[n] - x[n].mean()) / s
        dx[n] = (D * scale * g[n] - (scale * g[n]).sum() - h * (scale * g[n] * h).sum()) / (D * s)
        dgamma += g[n] * h
        dbeta += g[n]
    return torch.from_numpy(dx.reshape(tuple(X.shape))), torch.from_numpy(dgamma), torch.from_numpy(dbeta)


@exercise.alternate
def in_single_precision(dY, X, gamma, eps=1e-5):
    dY, X, gamma = dY.float(), X.float(), gamma.float()
    root = (X.var(-1, correction=0, keepdim=True) + eps).sqrt()
    X_hat, G = (X - X.mean(-1, keepdim=True)) / root, dY * gamma
    dX = (G - G.mean(-1, keepdim=True) - X_hat * (G * X_hat).mean(-1, keepdim=True)) / root
    return dX, (dY * X_hat).flatten(0, -2).sum(0), dY.flatten(0, -2).sum(0)


def _parts(dY, X, gamma, eps=1e-5):
    """What the answers below have in common: the root, the normalised tokens, dY times gamma, dgamma and dbeta."""
    root = (X.var(-1, correction=0, keepdim=True) + eps).sqrt()
    X_hat = (X - X.mean(-1, keepdim=True)) / root
    return root, X_hat, dY * gamma, _total(dY * X_hat), _total(dY)


def _total(T):
    return T.reshape(-1, T.shape[-1]).sum(0)


def _back(G, X_hat, root):
    return (G - G.mean(-1, keepdim=True) - X_hat * (G * X_hat).mean(-1, keepdim=True)) / root


@exercise.alternate
def in_two_steps(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(G, X_hat, root), dgamma, dbeta


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(dX_agrees_with_finite_differences, "gamma left out of dX")
def gamma_missing(dY, X, gamma, eps=1e-5):
    root, X_hat, _, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(dY, X_hat, root), dgamma, dbeta


@_wrong(dX_agrees_with_finite_differences, "gamma applied to dX at the end instead of to dY at the start")
def gamma_at_the_end(dY, X, gamma, eps=1e-5):
    root, X_hat, _, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return gamma * _back(dY, X_hat, root), dgamma, dbeta


@_wrong(dX_sums_to_zero_over_a_token, "the mean taken for a constant: its term is missing from dX")
def mean_held_fixed(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return (G - X_hat * (G * X_hat).mean(-1, keepdim=True)) / root, dgamma, dbeta


@_wrong(dX_agrees_with_finite_differences, "the variance taken for a constant: its term is missing from dX")
def variance_held_fixed(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return (G - G.mean(-1, keepdim=True)) / root, dgamma, dbeta


@_wrong(dX_sums_to_zero_over_a_token, "mean and variance both taken for constants: dX = dY gamma / root")
def statistics_held_fixed(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return G / root, dgamma, dbeta


@_wrong(dX_agrees_with_finite_differences, "a plus in front of the variance term of dX")
def plus_for_minus(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return (G - G.mean(-1, keepdim=True) + X_hat * (G * X_hat).mean(-1, keepdim=True)) / root, dgamma, dbeta


@_wrong(dX_sums_to_zero_over_a_token, "a plus in front of the mean term of dX")
def plus_for_the_mean(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return (G + G.mean(-1, keepdim=True) - X_hat * (G * X_hat).mean(-1, keepdim=True)) / root, dgamma, dbeta


@_wrong(dX_agrees_with_finite_differences, "dX never divided by the root")
def root_missing(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(G, X_hat, 1.0), dgamma, dbeta


@_wrong(dX_agrees_with_finite_differences, "dX multiplied by the root instead of divided")
def root_multiplied(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(G, X_hat, 1 / root), dgamma, dbeta


@_wrong(dX_agrees_with_finite_differences, "dX divided by the variance instead of its root")
def divided_by_the_variance(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(G, X_hat, root ** 2), dgamma, dbeta


@_wrong(dX_sums_to_zero_over_a_token, "sums over the features where dX has means (a factor D)")
def sums_for_means(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return (G - G.sum(-1, keepdim=True) - X_hat * (G * X_hat).sum(-1, keepdim=True)) / root, dgamma, dbeta


@_wrong(dX_agrees_with_finite_differences, "D times too large a dX: its factor 1/D is missing")
def factor_D(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return X.shape[-1] * _back(G, X_hat, root), dgamma, dbeta


@_wrong(dX_agrees_with_finite_differences, "the token itself in place of the normalised token in the variance term")
def token_in_the_variance_term(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    centred = X - X.mean(-1, keepdim=True)
    return (G - G.mean(-1, keepdim=True) - centred * (G * centred).mean(-1, keepdim=True)) / root, dgamma, dbeta


@_wrong(dX_of_a_token_is_its_own, "means over the tokens in dX, where those over the features belong")
def means_over_the_tokens(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return (G - G.mean(-2, keepdim=True) - X_hat * (G * X_hat).mean(-2, keepdim=True)) / root, dgamma, dbeta


@_wrong(dX_agrees_with_finite_differences,
        "the gradient of a LayerNorm with the unbiased variance "
        "(D - 1: legitimate elsewhere, to estimate; LayerNorm divides by D)")
def unbiased_variance(dY, X, gamma, eps=1e-5):
    root = (X.var(-1, keepdim=True) + eps).sqrt()
    X_hat, G = (X - X.mean(-1, keepdim=True)) / root, dY * gamma
    return _back(G, X_hat, root), _total(dY * X_hat), _total(dY)


@_wrong(eps_is_used_throughout, "eps fixed at 1e-5, whatever is passed")
def eps_ignored(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma)
    return _back(G, X_hat, root), dgamma, dbeta


@_wrong(eps_is_used_throughout, "eps added outside the root")
def eps_outside_the_root(dY, X, gamma, eps=1e-5):
    root = X.std(-1, correction=0, keepdim=True) + eps
    X_hat, G = (X - X.mean(-1, keepdim=True)) / root, dY * gamma
    return _back(G, X_hat, root), _total(dY * X_hat), _total(dY)


@_wrong(eps_is_used_throughout, "eps in the normalised token, but not in the root that dX is divided by")
def eps_in_one_root_only(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(G, X_hat, X.std(-1, correction=0, keepdim=True)), dgamma, dbeta


@_wrong(dgamma_collects_from_all_tokens, "dgamma from the tokens as they came in, before the normalisation")
def dgamma_from_the_tokens(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(G, X_hat, root), _total(dY * X), dbeta


@_wrong(dgamma_collects_from_all_tokens, "dgamma with gamma still in it")
def dgamma_with_gamma(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(G, X_hat, root), gamma * dgamma, dbeta


@_wrong(dbeta_collects_from_all_tokens, "dbeta with gamma in it")
def dbeta_with_gamma(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(G, X_hat, root), dgamma, gamma * dbeta


@_wrong(dbeta_collects_from_all_tokens, "means over the tokens in place of sums, in dgamma and dbeta")
def mean_over_the_tokens(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    count = X.numel() // X.shape[-1]
    return _back(G, X_hat, root), dgamma / count, dbeta / count


@_wrong(dbeta_collects_from_all_tokens, "a sum over the tokens only: each sentence of a batch keeps a dgamma and a dbeta of its own")
def batch_not_summed(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(G, X_hat, root), (dY * X_hat).sum(-2), dY.sum(-2)


@_wrong(dbeta_collects_from_all_tokens, "dgamma and dbeta from the first sentence of the batch only")
def first_sentence_only(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    first = (0,) * (X.dim() - 2)
    return _back(G, X_hat, root), (dY * X_hat)[first].sum(0), dY[first].sum(0)


@_wrong(dbeta_collects_from_all_tokens, "dgamma and dbeta swapped")
def dgamma_and_dbeta_swapped(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return _back(G, X_hat, root), dbeta, dgamma


@_wrong(dX_agrees_with_finite_differences, "the gradient of RMSNorm, which does not centre")
def of_rms_norm(dY, X, gamma, eps=1e-5):
    root, G = (X.square().mean(-1, keepdim=True) + eps).sqrt(), dY * gamma
    X_hat = X / root
    return (G - X_hat * (G * X_hat).mean(-1, keepdim=True)) / root, _total(dY * X_hat), _total(dY)


@_wrong(dX_sums_to_zero_over_a_token, "a descent direction: dX with the opposite sign")
def opposite_sign(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    return -_back(G, X_hat, root), dgamma, dbeta


@_wrong(the_inputs_stay_as_they_were, "a gradient that multiplies dY by gamma in place")
def in_place(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY, X, gamma, eps)
    dY *= gamma
    return _back(G, X_hat, root), dgamma, dbeta


@_wrong(agrees_with_the_reference, "gradients computed in half precision")
def in_half_precision(dY, X, gamma, eps=1e-5):
    root, X_hat, G, dgamma, dbeta = _parts(dY.half(), X.half(), gamma.half(), eps)
    return _back(G, X_hat, root).double(), dgamma.double(), dbeta.double()
