"""Values as text: as a person would want to read them, and as Python source that makes them again."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import Any, Iterator

import torch

from autograder.given import Given

SIDE = 6


@dataclass(frozen=True)
class Window:
    """A part of a tensor that can be looked at: SIDE x SIDE entries at most of the matrix at `index`, from `row` and `column` on."""

    index: tuple[int, ...]
    row: int
    column: int

    def of(self, value: torch.Tensor) -> torch.Tensor:
        """That part of a tensor, always as a matrix (of a vector, one row)."""
        matrix = value[self.index] if value.dim() > 1 else value.reshape(1, -1)
        return matrix[self.row:self.row + SIDE, self.column:self.column + SIDE]


def window(value: torch.Tensor, where: tuple[int, ...] | None) -> Window:
    """The window in whose middle `where` is, as far as the edges allow; without it the one at the beginning."""
    rows, columns = (1, *value.shape)[-2:] if value.dim() else (1, 1)
    at = (0, *where)[-2:] if where else (0, 0)
    index = tuple(where[:-2]) if where and value.dim() > 1 else (0,) * max(0, value.dim() - 2)
    row, column = (max(0, min(place - SIDE // 2, size - SIDE)) for place, size in zip(at, (rows, columns)))
    return Window(index, row, column)


def _excerpt(value: torch.Tensor, where: tuple[int, ...], digits: int) -> str:
    """The part of a large tensor around `where`, and which part it is."""
    part = window(value, where)
    shown = part.of(value) if value.dim() > 1 else part.of(value)[0]
    rows = f"rows {part.row} to {part.row + len(shown) - 1}, " if value.dim() > 1 else ""
    place = f"in [{', '.join(map(str, part.index))}] " if part.index else ""
    with _printing(shown, digits):
        text = str(shown.detach())[7:-1].split(", dtype")[0].replace("\n       ", "\n")
    columns = f"{'columns' if value.dim() > 1 else 'entries'} {part.column} to {part.column + shown.shape[-1] - 1}"
    return f"{text}   ({place}{rows}{columns} of {' × '.join(map(str, value.shape))})"


def render(value: Any, depth: int = 0, where: tuple[int, ...] | None = None, digits: int = 4) -> str:
    """`value` as a person would want to read it: at most 6 x 6 entries (of a large tensor those around `where`), with its shape.

    digits: how many decimals a tensor's entries have at most.
    """
    if isinstance(value, torch.Tensor) and where and value.numel() > SIDE * SIDE and len(where) == value.dim():
        return _excerpt(value, where, digits)
    if isinstance(value, torch.Tensor):
        shape = " × ".join(map(str, value.shape)) or "a single number"
        with _printing(value, digits):
            return f"{str(value.detach())[7:-1].split(', dtype')[0].replace(chr(10) + '       ', chr(10))}   ({shape})"
    if isinstance(value, Given):
        return value.source(lambda part: render(part, depth + 1))
    if isinstance(value, (list, tuple)):
        if depth >= 2:
            return "(…)"
        if depth == 0 and len(value) and all(isinstance(item, torch.Tensor) and item.dim() for item in value):
            rows = [f"[{i}] " + render(item, 1).replace("\n", "\n    ") for i, item in enumerate(value[:4])]  # one below the other
            return "\n".join([*rows, "…"] if len(value) > 4 else rows)
        return "(" + ", ".join(render(item, depth + 1) for item in value[:4]) + (", …)" if len(value) > 4 else ")")
    text = repr(value)
    return text if len(text) <= 400 else text[:400] + " …"


def literal(value: Any) -> str:
    """Python source that makes the value again."""
    if isinstance(value, Given):
        return value.source(literal)
    if type(value) in (list, tuple):
        text = ", ".join(map(literal, value))
        return f"[{text}]" if type(value) is list else f"({text},)"
    if not isinstance(value, torch.Tensor):
        return repr(value)
    if value.numel() > 200:
        return f"...  # {tuple(value.shape)}: too large to print"
    data = value.tolist()
    text = re.sub(r"(?<![\w'])(-?)(inf|nan)(?![\w'])", r"float('\1\2')", repr(data))
    text = re.sub(r"(\d)\.0(?=[\],]|$)", r"\1.", text)
    dtype = "" if value.dtype in (torch.bool, torch.int64) else f", dtype={value.dtype}"
    suffix = f".reshape({tuple(value.shape)})" if value.numel() == 0 else ""
    return f"torch.tensor({text}{dtype}){suffix}"


@contextlib.contextmanager
def _printing(value: torch.Tensor, digits: int) -> Iterator[None]:
    """Tensor printing with so many decimals and at most six rows and columns; powers of ten only for huge entries."""
    huge = value.is_floating_point() and bool((value[value.isfinite()].abs() >= 1e6).any())
    torch.set_printoptions(precision=digits, threshold=36, edgeitems=3, linewidth=100, sci_mode=huge)
    try:
        yield
    finally:
        torch.set_printoptions(profile="default")
