"""Comparing numbers: one tolerance rule and one way to fail.

The rule: numbers are compared in float64, and ``|got - expected| <= TOLERANCE * max(1, max |expected|) + eps * |expected|``,
where eps is the rounding of the coarsest floating dtype that the student returned (0 for float64); such a result itself must be
what a number within the tolerance rounds to in its dtype, so that coarseness hides no mistake. Correct answers on
O(1) inputs, float32 helpers included, stay within 1e-6; the nearest known wrong answer is 5e-5 away. NaN, infinities,
empty tensors and shapes that merely broadcast never pass by accident.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from autograder.case import current_case

TOLERANCE = 7e-6


@dataclass
class Mismatch(AssertionError):
    """An answer that is not what it should be.

    `kind` is one of values, not_finite, shape, type, truth, changed, accepted; `sentence` says it in words that hold
    no numbers of the input, `detail` adds the numbers.
    """

    kind: str
    what: str
    sentence: str
    detail: str = ""
    expected: Any = None
    got: Any = None
    where: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return f"{self.sentence}{': ' + self.detail if self.detail else ''}"


def assert_close(got: torch.Tensor, expected: torch.Tensor | float, *, what: str) -> None:
    """Fail unless `got` equals `expected` within the tolerance of this module.

    `expected` is a tensor of exactly the shape of `got`, or a Python number that every entry must equal.
    Raises `Mismatch`, which says where they differ most.
    """
    if isinstance(expected, torch.Tensor) and got.shape != expected.shape:
        raise wrong_shape(what, got, tuple(expected.shape), expected)
    plain, wanted = got.detach().to(torch.float64), expected.detach().to(torch.float64) if isinstance(expected, torch.Tensor) else float(expected)
    case = current_case()
    exact, dtype = case.coarse.get(id(got), (None, None))
    if exact is not got and case.deviations is None and _plainly_close(plain, wanted):
        return
    actual, wanted = plain.numpy(), wanted.numpy() if isinstance(expected, torch.Tensor) else np.float64(wanted)
    if case.deviations is not None:
        case.deviations.append(_deviation(actual, wanted))
    if _all_close(actual, wanted) and (exact is not got or _rounded_from(actual, wanted, dtype)):
        return
    wanted = np.broadcast_to(wanted, actual.shape)
    _fail(got, actual, torch.from_numpy(wanted.copy()), wanted, what)


def _tolerance(wanted: np.ndarray) -> np.ndarray:
    size = np.abs(wanted)
    size = np.where(np.isfinite(size), size, 0.0)
    return TOLERANCE * size.max(initial=1.0) + current_case().rounding * size


def _plainly_close(got: torch.Tensor, expected: torch.Tensor | float) -> bool:
    """Whether all is within the least tolerance there can be: what most comparisons of a right answer need to know."""
    return got.numel() > 0 and bool((got - expected).abs().max() <= TOLERANCE)


def _all_close(actual: np.ndarray, wanted: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):
        close = np.abs(actual - wanted) <= _tolerance(wanted)
        return bool((close | (actual == wanted)).all())


def _deviation(actual: np.ndarray, wanted: np.ndarray) -> float:
    """The largest difference, in units of the tolerance; infinite where one of the two is not finite and the other is no such value."""
    with np.errstate(invalid="ignore"):
        off = np.where(actual == wanted, 0.0, np.abs(actual - wanted) / _tolerance(wanted))
    return float(np.nan_to_num(off, nan=np.inf).max(initial=0.0))


def _rounded_from(actual: np.ndarray, wanted: np.ndarray, dtype: torch.dtype) -> bool:
    """Whether a result of a coarse dtype is what a number within the tolerance of `wanted` rounds to."""
    slack = TOLERANCE * np.where(np.isfinite(wanted), np.abs(wanted), 0.0).max(initial=1.0)
    low, high = (torch.from_numpy(np.array(wanted + shift)).to(dtype).to(torch.float64).numpy() for shift in (-slack, slack))
    return bool(((low <= actual) & (actual <= high)).all())


def _fail(got: torch.Tensor, actual: np.ndarray, expected: Any, wanted: np.ndarray, what: str) -> None:
    with np.errstate(invalid="ignore"):
        gap = np.where(actual == wanted, 0.0, np.abs(actual - wanted))
        bad = ~(gap <= _tolerance(wanted))
        bad = bad if bad.any() else gap >= gap.max()  # too coarse by less than the tolerance of its dtype
    worst = np.unravel_index(int(np.argmax(np.where(bad, np.nan_to_num(gap, nan=np.inf), -1.0))), actual.shape)
    where = tuple(int(i) for i in worst)
    place = f" at {list(where)}" if where else ""
    digits = digits_apart(wanted[worst], actual[worst])
    detail = f"expected {number(wanted[worst], digits)}, got {number(actual[worst], digits)}{place}"
    detail += f"; {int(bad.sum())} of {actual.size} entries differ" if actual.size > 1 else ""
    if not np.isfinite(actual[bad]).all() and np.isfinite(wanted[bad]).all():
        name = "NaN" if np.isnan(actual[bad]).any() else "an infinity"
        raise Mismatch("not_finite", what, f"{what} holds {name} where a number is expected", detail, expected, got, where)
    raise Mismatch("values", what, f"{what} is not what it should be", detail, expected, got, where)


def wrong_shape(what: str, got: torch.Tensor, dims: tuple[int, ...], expected: torch.Tensor | None = None) -> Mismatch:
    """The failure of a result that has another shape than `dims`: empty, one that would merely broadcast, or any other."""
    sentence = f"{what} has the wrong shape"
    if got.numel() == 0 and 0 not in dims:
        sentence += " (it is empty)"
    elif len(got.shape) <= len(dims) and all(n in (1, wanted) for n, wanted in zip(reversed(got.shape), reversed(dims))):
        sentence += " (it would only broadcast to the right one)"
    return Mismatch("shape", what, sentence, f"{tuple(got.shape)} instead of {dims}", expected, got)


def assert_true(condition: Any, sentence: str, *, what: str = "the result") -> None:
    """Fail with `sentence` unless `condition` holds. `sentence` says what went wrong and names no input numbers."""
    if not bool(condition):
        raise Mismatch("truth", what, sentence)


def assert_equal(got: torch.Tensor, expected: torch.Tensor, *, what: str) -> None:
    """Fail unless two tensors of bools or ints are the same, entry by entry."""
    if got.shape != expected.shape:
        raise wrong_shape(what, got, tuple(expected.shape), expected)
    different = (got != expected)
    if bool(different.any()):
        where = tuple(int(i) for i in different.nonzero()[0])
        place = f" at {list(where)}" if where else ""
        detail = (f"expected {expected[where].item()}, got {got[where].item()}{place}; "
                  f"{int(different.sum())} of {got.numel()} entries differ")
        raise Mismatch("values", what, f"{what} is not what it should be", detail, expected, got, where)


def number(value: float, digits: int = 4) -> str:
    """`value` as a person would write it: four significant digits, and nan or inf by name."""
    return f"{float(value):.{digits}g}"


def digits_apart(one: float, other: float) -> int:
    """How many significant digits show that two numbers differ: four where they can."""
    return next((digits for digits in range(4, 17) if number(one, digits) != number(other, digits)), 4)


def decimals_apart(one: float, other: float) -> int:
    """How many decimals show that two numbers differ: four where they can."""
    return next((digits for digits in range(4, 17) if f"{float(one):.{digits}f}" != f"{float(other):.{digits}f}"), 4)
