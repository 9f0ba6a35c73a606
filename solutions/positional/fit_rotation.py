"""Staff half of the exercise `fit_rotation`: reference, alternates, misconceptions, hidden checks."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.positional._speeds import speeds
from autograder.exercises.positional.fit_rotation import (exercise, it_finds_any_linear_map, it_moves_encodings_on, no_other_matrix_fits_better,
                                                          noisy, the_input_stays_as_it_was)


@exercise.solution
def fit_rotation(R, k):
    """The matrix M that moves encodings on by k positions as well as a matrix can: it minimises sum_n |M r_n - r_(n+k)|^2.

    R: float64 tensor N x D, row n the encoding r_n. k: number of steps, an int with 1 <= k < N.
    The sum runs over n = 0, ..., N - k - 1. The first N - k rows have D independent columns among them, so M is unique.
    Returns a tensor D x D that acts on encodings as columns. It need not be a rotation.
    """
    before, after = R[:-k], R[k:]
    return torch.linalg.lstsq(before, after).solution.mT


@exercise.hidden_check(points=1.5, examples=15, hint="Compare with the closed form of least squares for D = 1, where M is a single number: "
                                                     "a sum over a sum.",
                       kept="compares M itself, entry by entry, where the public check looks at the normal equations, and on tables "
                            "seeded from the course's secret")
@given(noisy)
def agrees_with_the_reference(student, case):
    """Agrees with the reference on random rows, which no matrix moves on exactly."""
    R, k = case
    assert_close(student(R, k), fit_rotation(R, k), what="M")


@exercise.hidden_check(points=1, examples=5, hint="Build the encodings for N = 105, D = 12 and L = 30 and compare your M with "
                                                  "rotation_matrix(k, 12, L=30.0).",
                       kept="the lesson's own figure, whose answer is known without any solver; no public check has a table as long or as wide")
@given(st.integers(101, 112), st.integers(1, 5))
def a_long_table_gives_the_rotation(student, N, k):
    """From more than a hundred positions with D = 12 and L = 30 comes the rotation itself."""
    angles = torch.arange(N)[:, None] * speeds(12, 30.0)
    R = torch.stack([angles.sin(), angles.cos()], -1).reshape(N, 12)
    c, s = (torch.diag(f(k * speeds(12, 30.0)).repeat_interleave(2)) for f in (torch.cos, torch.sin))
    quarter = torch.block_diag(*[torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)] * 6)
    assert_close(student(R, k), c + s @ quarter, what="M")


@exercise.alternate
def normal_equations(R, k):
    A, B = R[:len(R) - k], R[k:]
    return torch.linalg.solve(A.T @ A, A.T @ B).T


@exercise.alternate
def with_numpy(R, k):
    R = R.numpy()
    return torch.from_numpy(np.linalg.lstsq(R[:-k], R[k:], rcond=None)[0].T.copy())


@exercise.alternate
def with_the_pseudoinverse(R, k):
    return (torch.linalg.pinv(R[:-k]) @ R[k:]).T


@exercise.alternate
def with_columns(R, k):
    before, after = R[:-k].T, R[k:].T
    return after @ before.T @ torch.linalg.inv(before @ before.T)


@exercise.alternate
def row_by_row_with_qr(R, k):
    Q, upper = torch.linalg.qr(R[:-k])
    return torch.stack([torch.linalg.solve_triangular(upper, (Q.T @ R[k:, i])[:, None], upper=True)[:, 0] for i in range(R.shape[1])])


@exercise.alternate
def in_float32(R, k):
    return torch.linalg.lstsq(R[:-k].float(), R[k:].float()).solution.T


def _fit(before, after):
    return torch.linalg.lstsq(before, after).solution.mT


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(it_moves_encodings_on, "the transpose: a matrix that acts on rows from the right")
def transposed(R, k):
    return _fit(R[:-k], R[k:]).mT.contiguous()


@_wrong(it_moves_encodings_on, "a matrix that moves encodings back by k instead of on")
def backwards(R, k):
    return _fit(R[k:], R[:-k])


@_wrong(it_moves_encodings_on, "a fit for a single step, whatever k is")
def always_one_step(R, k):
    return _fit(R[:-1], R[1:])


@_wrong(no_other_matrix_fits_better, "a fit for a single step, raised to the power of k")
def one_step_to_the_power(R, k):
    return torch.linalg.matrix_power(_fit(R[:-1], R[1:]), k)


@_wrong(it_moves_encodings_on, "a fit for k + 1 steps")
def one_step_too_far(R, k):
    return _fit(R[:-k - 1], R[k + 1:])


@_wrong(it_moves_encodings_on, "a table whose end is joined to its beginning (torch.roll): the last k rows meet the first")
def rolled(R, k):
    return _fit(R, torch.roll(R, -k, 0))


@_wrong(no_other_matrix_fits_better, "a matrix forced to be a rotation (the nearest orthogonal one), although any matrix may be used")
def orthogonal(R, k):
    U, _, V = torch.linalg.svd(R[k:].mT @ R[:-k])
    return U @ V


@_wrong(no_other_matrix_fits_better, "a fit to the first positions only")
def first_rows_only(R, k):
    rows = R.shape[1] + 2
    return _fit(R[:-k][:rows], R[k:][:rows])


@_wrong(no_other_matrix_fits_better, "a fit that leaves out the last position")
def last_row_left_out(R, k):
    return _fit(R[:-k - 1], R[k:-1])


@_wrong(no_other_matrix_fits_better, "a fit that leaves out the first position")
def first_row_left_out(R, k):
    return _fit(R[1:-k], R[k + 1:])


@_wrong(no_other_matrix_fits_better, "a fit with the mean subtracted first, as if there were a constant term")
def with_a_constant_term(R, k):
    before, after = R[:-k], R[k:]
    return _fit(before - before.mean(0), after - after.mean(0))


@_wrong(no_other_matrix_fits_better, "a fit with a penalty on large entries (ridge regression)")
def with_a_penalty(R, k):
    A, B = R[:-k], R[k:]
    return torch.linalg.solve(A.mT @ A + 0.1 * torch.eye(R.shape[1], dtype=R.dtype), A.mT @ B).mT


@_wrong(it_moves_encodings_on, "a product of the two tables that is not divided by A^T A")
def not_divided(R, k):
    return R[k:].mT @ R[:-k]


@_wrong(no_other_matrix_fits_better, "a product of the two tables divided by the number of rows, as if the columns were uncorrelated and of one size")
def divided_by_the_rows(R, k):
    return R[k:].mT @ R[:-k] * 2 / (len(R) - k)


@_wrong(it_finds_any_linear_map, "a rotation of the textbook, computed from k, D and L = 10000 without looking at R")
def without_looking(R, k):
    D = R.shape[1]
    M = torch.eye(D, dtype=R.dtype)
    for i in range(0, D - 1, 2):
        angle = torch.tensor(k * 10000.0 ** (-i / D), dtype=R.dtype)
        M[i, i] = M[i + 1, i + 1] = angle.cos()
        M[i, i + 1], M[i + 1, i] = angle.sin(), -angle.sin()
    return M


@_wrong(no_other_matrix_fits_better, "a fit of each feature to itself alone (a diagonal matrix)")
def diagonal(R, k):
    return torch.diag((R[:-k] * R[k:]).sum(0) / (R[:-k] ** 2).sum(0))


@_wrong(agrees_with_the_reference, "entries rounded to a few digits")
def rounded(R, k):
    return _fit(R[:-k], R[k:]).round(decimals=3)


@_wrong(a_long_table_gives_the_rotation, "a fit in half precision")
def half_precision(R, k):
    return _fit(R[:-k].half().double(), R[k:].half().double())


@_wrong(the_input_stays_as_it_was, "a fit that overwrites R")
def in_place(R, k):
    M = _fit(R[:-k], R[k:])
    R[:-k] = R[:-k] @ M.mT
    return M
