"""Staff half of the exercise `softmax_jacobian`: reference, alternates, misconceptions, hidden checks."""

import torch
from hypothesis import given

from autograder.compare import assert_close
from autograder.exercises.attention.softmax_jacobian import (agrees_with_finite_differences, exercise,
                                                             rows_and_columns_sum_to_zero, the_input_stays_as_it_was)
from autograder.strategies import distributions, fillers


@exercise.solution
def softmax_jacobian(alpha):
    """The Jacobian of softmax at the weights alpha: J = diag(alpha) - alpha alpha^T, J_ij = d alpha_i / d z_j.

    alpha: float64 tensor ... x N, each row summing to 1; any number of leading batch dimensions.
    Returns a tensor ... x N x N.
    """
    return torch.diag_embed(alpha) - alpha.unsqueeze(-1) * alpha.unsqueeze(-2)


@exercise.hidden_check(points=1, hint="Write out the 2 x 2 matrix for alpha = (p, 1 - p); all four entries are p(1 - p) up to a sign.",
                       kept="the only one with weights of exactly 0, as masks make them, and the only one that compares every entry of"
                            " J")
@given(distributions(zeros=True))
def agrees_with_the_reference(student, alpha):
    """Agrees with the reference with none, one and two batch dimensions, weights of exactly 0 included."""
    assert_close(student(alpha), softmax_jacobian(alpha), what="J")


@exercise.hidden_check(points=0.5, examples=6, hint="J may be part of what is trained. Does something inside cut or bend the gradient "
                                                    "(detach, no_grad, .data), in one of the two terms only?")
@given(distributions(low=2), fillers(("normal",)))
def the_gradient_is_right(student, alpha, filler):
    """Where a gradient flows through J, it says how J changes with weights that go on summing to 1."""
    cotangent, = filler((*alpha.shape, alpha.shape[-1]))
    assert_close(student(alpha), softmax_jacobian(alpha), what="J")
    got = student.vjp((cotangent,), alpha)
    if got is not None:
        mine, theirs = (one - one.mean(-1, keepdim=True) for one in (got[0], softmax_jacobian.vjp((cotangent,), alpha)[0]))
        assert_close(mine, theirs, what="the gradient with respect to alpha, minus its mean,")


@exercise.alternate
def from_the_identity(alpha):
    eye = torch.eye(alpha.shape[-1], dtype=alpha.dtype)
    return alpha[..., :, None] * (eye - alpha[..., None, :])


@exercise.alternate
def with_einsum(alpha):
    return torch.einsum("...i,ij->...ij", alpha, torch.eye(alpha.shape[-1], dtype=alpha.dtype)) - torch.einsum(
        "...i,...j->...ij", alpha, alpha)


@exercise.alternate
def entry_by_entry(alpha):
    N = alpha.shape[-1]
    rows = [[alpha[..., i] * ((1.0 if i == j else 0.0) - alpha[..., j]) for j in range(N)] for i in range(N)]
    return torch.stack([torch.stack(row, -1) for row in rows], -2)


@exercise.misconception(caught_by=agrees_with_finite_differences, tell="the opposite sign")
def opposite_sign(alpha):
    return alpha.unsqueeze(-1) * alpha.unsqueeze(-2) - torch.diag_embed(alpha)


@exercise.misconception(caught_by=rows_and_columns_sum_to_zero, tell="the diagonal only (alpha (1 - alpha), as for a sigmoid)")
def diagonal_only(alpha):
    return torch.diag_embed(alpha * (1 - alpha))


@exercise.misconception(caught_by=rows_and_columns_sum_to_zero, tell="the outer product without diag(alpha)")
def outer_product_only(alpha):
    return -alpha.unsqueeze(-1) * alpha.unsqueeze(-2)


@exercise.misconception(caught_by=rows_and_columns_sum_to_zero, tell="the identity in place of diag(alpha)")
def identity_for_the_diagonal(alpha):
    return torch.eye(alpha.shape[-1], dtype=alpha.dtype) - alpha.unsqueeze(-1) * alpha.unsqueeze(-2)


@exercise.misconception(caught_by=rows_and_columns_sum_to_zero, tell="a plus in front of the outer product")
def plus_for_minus(alpha):
    return torch.diag_embed(alpha) + alpha.unsqueeze(-1) * alpha.unsqueeze(-2)


@exercise.misconception(caught_by=rows_and_columns_sum_to_zero, tell="diag(alpha) without the outer product")
def diagonal_of_alpha(alpha):
    return torch.diag_embed(alpha)


@exercise.misconception(caught_by=agrees_with_finite_differences, tell="a Jacobian at softmax(alpha) instead of at alpha")
def at_softmax_of_alpha(alpha):
    alpha = torch.softmax(alpha, -1)
    return torch.diag_embed(alpha) - alpha.unsqueeze(-1) * alpha.unsqueeze(-2)


@exercise.misconception(caught_by=agrees_with_finite_differences, tell="the Jacobian of the last row of the batch used for all rows")
def last_row_for_all(alpha):
    row = alpha.reshape(-1, alpha.shape[-1])[-1]
    return (torch.diag(row) - torch.outer(row, row)).expand(*alpha.shape, alpha.shape[-1]).contiguous()


@exercise.misconception(caught_by=agrees_with_finite_differences, tell="the Jacobian of the logarithm of softmax: the identity minus alpha")
def of_the_logarithm(alpha):
    return torch.eye(alpha.shape[-1], dtype=alpha.dtype) - alpha.unsqueeze(-2).expand(*alpha.shape, alpha.shape[-1])


@exercise.misconception(caught_by=the_input_stays_as_it_was, tell="a Jacobian that overwrites alpha")
def in_place(alpha):
    J = torch.diag_embed(alpha) - alpha.unsqueeze(-1) * alpha.unsqueeze(-2)
    alpha.mul_(0)
    return J


@exercise.misconception(caught_by=the_gradient_is_right, tell="a diagonal through which no gradient flows")
def diagonal_detached(alpha):
    return torch.diag_embed(alpha.detach()) - alpha.unsqueeze(-1) * alpha.unsqueeze(-2)
