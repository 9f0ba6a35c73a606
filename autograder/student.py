"""The student's function as a check sees it: called, differentiated, its answer brought to the agreed form.

A check body is written once. At the desk it gets a `Student` around the student's own function; in grading one around a
connection to the worker, or around answers that were given before. All of them are this class with another `ask`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import torch

from autograder.case import current_case
from autograder.compare import Mismatch
from autograder.untrusted.operations import AFTER, CALL, VJP, perform

Ask = Callable[[tuple], tuple]


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


class StudentRaised(Exception):
    """The student's code raised: `name` and `message` of the exception, `line` and `text` of the student's line."""

    def __init__(self, name: str, message: str, line: int, text: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name, self.message, self.line, self.text = name, message, line, text


class OverLimit(BaseException):
    """The student's code ran over a limit or died. A BaseException, so that hypothesis stops at the first one."""


@dataclass(frozen=True)
class Student:
    """`ask` carries an operation to the function and brings the answer back; `returns` declares the results' shapes."""

    ask: Ask
    returns: Callable[..., dict[str, Shaped]]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function on copies of the arguments; floating results come back as float64."""
        value = self._asked((CALL, args, kwargs, None))
        return conform(value, self.returns(*args, **kwargs))

    def arguments_after(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The arguments as the function left them, in order."""
        return self._asked((AFTER, args, kwargs, None))

    def vjp(self, cotangents: tuple, *args: Any, **kwargs: Any) -> list[torch.Tensor] | None:
        """Gradients of sum_i <cotangent_i, output_i> with respect to the floating tensors in `args`, or None.

        None means that no gradient flows at all (NumPy inside the function). A cotangent of None leaves an output out.
        """
        value = self._asked((VJP, args, kwargs, tuple(cotangents)))
        if value is None:
            current_case().remarks.add("No gradient flows through the result, so nothing could be trained through it.")
        return value

    def refuses(self, *args: Any, **kwargs: Any) -> bool:
        """Whether the function raises on these arguments."""
        answer = self.ask((CALL, args, kwargs, None))
        current_case().calls.append(((CALL, args, kwargs, None), answer))
        return answer[0] == "raised"

    def _asked(self, operation: tuple) -> Any:
        answer = self.ask(operation)
        current_case().calls.append((operation, answer))
        if answer[0] == "raised":
            raise StudentRaised(*answer[1:])
        if answer[0] == "limit":
            raise OverLimit(answer[1])
        if answer[0] == "unsupported":
            raise Mismatch("type", "the result", f"the result is {answer[1]}, which cannot be compared")
        return answer[1]


def local(function: Callable, returns: Callable[..., dict[str, Shaped]]) -> Student:
    """A `Student` around a function of this process."""
    return Student(lambda operation: perform(function, operation), returns)


def conform(value: Any, shapes: dict[str, Shaped]) -> Any:
    """Bring a returned value to the agreed form: a tensor, or a tuple of them in the order of `shapes`.

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
        return "None: is a return statement missing?"
    if isinstance(value, torch.Tensor):
        return "one tensor"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a value of type {type(value).__name__}"


def _conform_one(value: Any, name: str, shaped: Shaped) -> Any:
    if isinstance(value, (bool, int, float)) and shaped.dims == ():
        value = torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None)
    if not isinstance(value, torch.Tensor):
        raise Mismatch("type", name, f"{name} must be a tensor, and is {_kind(value)}")
    if value.is_complex():
        raise Mismatch("type", name, f"{name} is complex; real numbers are expected")
    if tuple(value.shape) != shaped.dims:
        raise Mismatch("shape", name, f"{name} has the wrong shape",
                       f"{tuple(value.shape)} instead of {shaped.dims}", None, value)
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
    return value.to(torch.float64)


def _as_exact(value: torch.Tensor, name: str, entries: str) -> torch.Tensor:
    target = torch.bool if entries == "bool" else torch.int64
    if value.dtype is target:
        return value
    exact = value.to(torch.float64)
    allowed = (exact == 0) | (exact == 1) if entries == "bool" else exact == exact.round()
    if not bool(allowed.all()):
        words = "True and False" if entries == "bool" else "whole numbers"
        raise Mismatch("type", name, f"{name} must hold {words} only, and has dtype {value.dtype}", "", None, value)
    if entries == "bool":
        current_case().remarks.add(f"{name} holds 0 and 1 of {value.dtype}; torch.bool says more clearly what it is.")
    return exact.to(target)
