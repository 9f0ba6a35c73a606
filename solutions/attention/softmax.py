"""Staff half of the exercise `softmax`: reference, alternates, misconceptions, hidden checks."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.attention.softmax import (a_shift_changes_nothing, exercise, minus_infinity_gets_no_weight,
                                                    rows_sum_to_one, the_axis_is_the_one_asked_for, the_input_stays_as_it_was,
                                                    weights_are_exponentials_over_their_sum, with_axis)
from autograder.strategies import fillers, on_grid, tensors


@exercise.solution
def softmax(Z, dim=-1):
    """Softmax of the scores Z along the axis dim.

    Z: float64 tensor of any shape, entries up to +-10000; some may be -inf (never all of a row).
    dim: the axis along which the result sums to 1.
    Returns a tensor of the shape of Z. Z itself is not changed.
    """
    shifted = Z - Z.max(dim=dim, keepdim=True).values
    weights = torch.exp(shifted)
    return weights / weights.sum(dim=dim, keepdim=True)


@st.composite
def rows_of_different_scale(draw):
    """A matrix whose rows lie at +-9000 and 0, with moderate differences inside a row."""
    Z, = draw(fillers())((3, draw(st.integers(2, 4))))
    return on_grid(Z) + torch.tensor(draw(st.permutations([9000.0, 0.0, -9000.0])), dtype=torch.float64)[:, None]


@exercise.hidden_check(points=2, hint="Compare with the formula term by term on a 2 x 3 matrix.",
                       kept="the public check of the axis holds the answer against itself; here alone every axis is held against the "
                            "formula, and these points go to who has all of it")
@given(with_axis)
def agrees_with_the_reference(student, Z_dim):
    """Agrees with the reference along every axis of tensors of one to three dimensions."""
    Z, dim = Z_dim
    assert_close(student(Z, dim), softmax(Z, dim), what="softmax(Z, dim)")


@exercise.hidden_check(points=1, examples=12, hint="Each row needs its own maximum: one that is far below the largest entry of Z must not underflow to 0/0.",
                       kept="the public check moves one row at a time; here rows at 9000, 0 and -9000 stand together and their values "
                            "are compared, not only before with after")
@given(rows_of_different_scale())
def rows_far_apart(student, Z):
    """Rows of very different scale do not disturb each other."""
    assert_close(student(Z), softmax(Z), what="softmax(Z)")


@exercise.hidden_check(points=0.5, examples=6, hint="Does something inside cut or bend the gradient (detach, no_grad, .data, rounding)?")
@given(tensors(low=2), fillers(("normal",)))
def the_gradient_is_right(student, Z, filler):
    """Where a gradient flows through the result, it is the gradient of softmax."""
    cotangent, = filler(tuple(Z.shape))
    assert_close(student(Z), softmax(Z), what="softmax(Z)")
    got = student.vjp((cotangent,), Z)
    if got is not None:
        assert_close(got[0], softmax.vjp((cotangent,), Z)[0], what="the gradient with respect to Z")


@exercise.alternate
def through_the_logarithm(Z, dim=-1):
    return torch.exp(Z - torch.logsumexp(Z, dim=dim, keepdim=True))


@exercise.alternate
def through_the_library(Z, dim=-1):
    return torch.nn.functional.softmax(Z, dim=dim)


@exercise.alternate
def row_by_row_in_numpy(Z, dim=-1):
    import numpy as np
    rows = np.moveaxis(Z.detach().numpy(), dim, -1)
    out = np.empty_like(rows)
    for index in np.ndindex(rows.shape[:-1]):
        row = np.exp(rows[index] - rows[index].max())
        out[index] = row / row.sum()
    return torch.from_numpy(np.moveaxis(out, -1, dim).copy())


@exercise.alternate
def in_single_precision(Z, dim=-1):
    Z = Z.float()
    weights = (Z - Z.amax(dim, keepdim=True)).exp()
    return weights / weights.sum(dim, keepdim=True)


@exercise.alternate
def in_two_lines(Z, dim=-1):
    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / weights.sum(dim=dim, keepdim=True)


@exercise.misconception(caught_by=the_axis_is_the_one_asked_for, tell="the last axis whatever `dim` says")
def axis_ignored(Z, dim=-1):
    return torch.softmax(Z, -1)


@exercise.misconception(caught_by=the_axis_is_the_one_asked_for, tell="a maximum along `dim` but a sum along the last axis")
def sum_along_the_last_axis(Z, dim=-1):
    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / weights.sum(dim=-1, keepdim=True)


@exercise.misconception(caught_by=rows_sum_to_one, tell="a softmax along the first axis by default")
def first_axis_by_default(Z, dim=0):
    return torch.softmax(Z, dim)


@exercise.misconception(caught_by=rows_sum_to_one, tell="a softmax over all entries at once, not along one axis")
def over_everything(Z, dim=-1):
    return torch.softmax(Z.reshape(-1), 0).reshape(Z.shape)


@exercise.misconception(caught_by=rows_far_apart, tell="one maximum for the whole tensor instead of one for each row")
def one_global_maximum(Z, dim=-1):
    weights = torch.exp(Z - Z.max())
    return weights / weights.sum(dim=dim, keepdim=True)


@exercise.misconception(caught_by=a_shift_changes_nothing, tell="exp without subtracting the maximum: it overflows")
def no_maximum_subtracted(Z, dim=-1):
    weights = torch.exp(Z)
    return weights / weights.sum(dim=dim, keepdim=True)


@exercise.misconception(caught_by=rows_sum_to_one, tell="a sum whose axis was dropped (keepdim missing), so that it divides along the wrong axis")
def axis_dropped_in_the_sum(Z, dim=-1):
    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / weights.sum(dim)


@exercise.misconception(caught_by=weights_are_exponentials_over_their_sum, tell="a linear normalisation, without the exponential")
def linear_normalisation(Z, dim=-1):
    weights = Z - Z.min(dim=dim, keepdim=True).values
    return weights / weights.sum(dim=dim, keepdim=True)


@exercise.misconception(caught_by=rows_sum_to_one, tell="exponentials that were never divided by their sum")
def never_normalised(Z, dim=-1):
    return torch.exp(Z - Z.max(dim=dim, keepdim=True).values)


@exercise.misconception(caught_by=weights_are_exponentials_over_their_sum, tell="absolute values in place of exponentials")
def absolute_values(Z, dim=-1):
    return (Z.abs() + 1e-12) / (Z.abs() + 1e-12).sum(dim=dim, keepdim=True)


@exercise.misconception(caught_by=weights_are_exponentials_over_their_sum, tell="powers of 2 instead of e")
def base_two(Z, dim=-1):
    weights = torch.exp2(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / weights.sum(dim=dim, keepdim=True)


@exercise.misconception(caught_by=weights_are_exponentials_over_their_sum, tell="softmax of -Z: the smallest score gets the largest weight")
def minimum_wins(Z, dim=-1):
    return torch.softmax(-Z, dim)


@exercise.misconception(caught_by=rows_sum_to_one, tell="the logarithm of softmax")
def logarithm_returned(Z, dim=-1):
    return torch.log_softmax(Z, dim)


@exercise.misconception(caught_by=rows_sum_to_one, tell="a sigmoid of each score by itself")
def sigmoid(Z, dim=-1):
    return torch.sigmoid(Z)


@exercise.misconception(caught_by=rows_sum_to_one, tell="softmax with a small constant added to the denominator")
def padded_denominator(Z, dim=-1):
    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / (weights.sum(dim=dim, keepdim=True) + 1e-3)


@exercise.misconception(caught_by=minus_infinity_gets_no_weight, tell="scores clamped to a finite range, so that -inf keeps some weight")
def clamped(Z, dim=-1):
    return torch.softmax(Z.clamp(min=-8), dim)


@exercise.misconception(caught_by=the_input_stays_as_it_was, tell="a softmax that overwrites its input")
def in_place(Z, dim=-1):
    Z -= Z.max(dim=dim, keepdim=True).values
    weights = Z.exp()
    return weights / weights.sum(dim=dim, keepdim=True)


@exercise.misconception(caught_by=the_gradient_is_right, tell="a denominator through which no gradient flows")
def gradient_cut_in_the_denominator(Z, dim=-1):
    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / weights.sum(dim=dim, keepdim=True).detach()


@exercise.misconception(caught_by=agrees_with_the_reference, tell="a softmax computed in half precision")
def half_precision(Z, dim=-1):
    return torch.softmax(Z.half(), dim).double()


@exercise.misconception(caught_by=a_shift_changes_nothing,
                        tell="the mean of a row subtracted instead of its maximum: exp overflows where one score lies far above")
def mean_subtracted(Z, dim=-1):
    weights = torch.exp(Z - Z.masked_fill(Z.isneginf(), torch.nan).nanmean(dim, keepdim=True))
    return weights / weights.sum(dim=dim, keepdim=True)


@exercise.misconception(caught_by=minus_infinity_gets_no_weight, tell="distances from the maximum that are cut off, so that -inf keeps a tiny weight")
def distances_cut_off(Z, dim=-1):
    return torch.softmax((Z - Z.amax(dim, keepdim=True)).clamp(min=-30), dim)


@exercise.misconception(caught_by=the_input_stays_as_it_was, tell="a softmax that overwrites the -inf in its input")
def minus_infinity_overwritten(Z, dim=-1):
    Z[Z.isneginf()] = -1e30
    return torch.softmax(Z, dim)
