"""Values as text: as a person would want to read them, and as Python source that makes them again."""

from __future__ import annotations

import contextlib
import re
from typing import Any, Iterator

import torch

from autograder.given import Given


def render(value: Any, depth: int = 0) -> str:
    """`value` as a person would want to read it: at most 6 x 6 entries, four digits, with its shape."""
    if isinstance(value, torch.Tensor):
        shape = " × ".join(map(str, value.shape)) or "a single number"
        with _printing(value):
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
    return repr(value)[:200]


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
    dtype = "" if value.dtype in (torch.bool, torch.int64) else f", dtype={value.dtype}"
    suffix = f".reshape({tuple(value.shape)})" if value.numel() == 0 else ""
    return f"torch.tensor({text}{dtype}){suffix}"


@contextlib.contextmanager
def _printing(value: torch.Tensor) -> Iterator[None]:
    """Tensor printing with four digits and at most six rows and columns; powers of ten only for huge entries."""
    huge = value.is_floating_point() and bool((value[value.isfinite()].abs() >= 1e6).any())
    torch.set_printoptions(precision=4, threshold=36, edgeitems=3, linewidth=100, sci_mode=huge)
    try:
        yield
    finally:
        torch.set_printoptions(profile="default")
