"""Bringing what a student's code returned to the agreed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from autograder.case import current_case
from autograder.compare import Mismatch, number, wrong_shape


LARGEST = 2**62


@dataclass(frozen=True)
class Shaped:
    """What one result must be: its `dims`, and whether its entries are floats, booleans or ints."""

    dims: tuple[int, ...]
    entries: str = "float"


def floats(*dims: int) -> Shaped:
    """A tensor of floats of shape `dims`."""
    return Shaped(tuple(dims))


def booleans(*dims: int) -> Shaped:
    """A tensor of bools of shape `dims` (0 and 1 of any dtype are taken for it)."""
    return Shaped(tuple(dims), "bool")


def integers(*dims: int) -> Shaped:
    """A tensor of ints of shape `dims`; no dims for a single count (floats of integral value are taken for it)."""
    return Shaped(tuple(dims), "int")


def conform(value: Any, shapes: dict[str, Shaped | list[Shaped]]) -> Any:
    """Bring a returned value to the agreed form: a tensor, or a tuple of them in the order of `shapes`.

    Where a list of `Shaped` stands in `shapes`, the result is a list of tensors.
    Values decide, not types: another floating dtype, ints for floats, 0/1 for booleans and a list for a tuple are taken.
    Raises `Mismatch` on a wrong structure or shape.
    """
    if len(shapes) == 1:
        (name, shaped), = shapes.items()
        return _conform_one(value, name, shaped)
    if not isinstance(value, (tuple, list)) or len(value) != len(shapes):
        wanted = f"the pair ({', '.join(shapes)})" if len(shapes) == 2 else f"({', '.join(shapes)})"
        raise Mismatch("type", "the result", f"the function must return {wanted}, and returned {_kind(value)}")
    return tuple(_conform_one(item, name, shaped) for item, (name, shaped) in zip(value, shapes.items()))


def _kind(value: Any) -> str:
    if value is None:
        return "None (is a return statement missing?)"
    if isinstance(value, torch.Tensor):
        return "one tensor"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a value of type {type(value).__name__}"


def _conform_list(value: Any, name: str, shaped: list[Shaped]) -> list[Any]:
    items = list(value.unbind(0)) if isinstance(value, torch.Tensor) and value.dim() else value  # stacked in one tensor: the same values
    if not isinstance(items, (tuple, list)) or len(items) != len(shaped):
        raise Mismatch("type", name, f"{name} must be a list of tensors of the length asked for",
                       f"{len(shaped)} are expected, and it is {_kind(value)}")
    return [_conform_one(item, f"{name}[{i}]", one) for i, (item, one) in enumerate(zip(items, shaped))]


def _conform_one(value: Any, name: str, shaped: Shaped | list[Shaped]) -> Any:
    if isinstance(shaped, list):
        return _conform_list(value, name, shaped)
    if isinstance(value, (bool, int, float)) and shaped.dims == ():
        large = isinstance(value, float) or abs(value) > LARGEST
        value = torch.tensor(float(value) if large else value, dtype=torch.float64 if large else None)
    if not isinstance(value, torch.Tensor):
        raise Mismatch("type", name, f"{name} must be a tensor, and is {_kind(value)}")
    if value.is_complex():
        raise Mismatch("type", name, f"{name} is complex; real numbers are expected (if it is real in truth, return .real)")
    if tuple(value.shape) != shaped.dims:
        raise wrong_shape(name, value, shaped.dims)
    if shaped.entries == "float":
        return _as_float64(value, name)
    return _as_exact(value, name, shaped.entries)


def _as_float64(value: torch.Tensor, name: str) -> torch.Tensor:
    if value.dtype is torch.float64:
        return value
    case = current_case()
    if value.is_floating_point():
        case.rounding = max(case.rounding, torch.finfo(value.dtype).eps)
        case.remarks.add(f"{name} comes back as {value.dtype} although float64 went in; its values were compared "
                         "at that precision.")
        exact = value.to(torch.float64)
        case.coarse[id(exact)] = (exact, value.dtype)
        return exact
    what = "only True and False" if value.dtype is torch.bool else "whole numbers only"
    case.remarks.add(f"{name} comes back as {value.dtype}, which holds {what}; its values were compared.")
    return value.to(torch.float64)


def _as_exact(value: torch.Tensor, name: str, entries: str) -> torch.Tensor:
    target = torch.bool if entries == "bool" else torch.int64
    if value.dtype is target:
        return value
    exact = value.to(torch.float64)
    if not bool(exact.isfinite().all()):
        kind, wanted = "NaN" if bool(exact.isnan().any()) else "an infinity", "True or False" if entries == "bool" else "a whole number"
        raise Mismatch("not_finite", name, f"{name} holds {kind} where {wanted} is expected", "", None, value)
    if bool((exact.abs() > LARGEST).any()):
        raise Mismatch("values", name, f"{name} holds a number far beyond what is expected", number(float(exact.abs().max())), None, value)
    allowed = (exact == 0) | (exact == 1) if entries == "bool" else exact == exact.round()
    if not bool(allowed.all()):
        words = "True and False" if entries == "bool" else "whole numbers"
        raise Mismatch("type", name, f"{name} must hold {words} only, and has dtype {value.dtype}", "", None, value)
    if entries == "bool" and bool(exact.any()):  # all zeros may stand for anything, a mask of 0 and -inf say
        current_case().remarks.add(f"{name} holds 0 and 1 of {value.dtype}; torch.bool says more clearly what it is.")
    return exact.to(target)
