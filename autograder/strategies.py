"""Input strategies: hypothesis draws shapes, a seed and a kind; a generator fills the tensors.

Drawing every float with hypothesis was measured to be thirty times dearer and to find mistakes later. Shapes shrink
towards few tokens and few features, seeds towards 0 and kinds towards small integers, so that the smallest failing input
can be checked by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from hypothesis import strategies as st

from autograder.given import Given, described, undescribed

KINDS = ("small integers", "normal", "uniform")


@dataclass(frozen=True)
class Filler:
    """Fills tensors of any shape from a seed; the same shapes in the same order give the same numbers."""

    kind: str
    seed: int

    def generator(self) -> torch.Generator:
        """A fresh generator at this filler's seed."""
        return torch.Generator().manual_seed(self.seed)

    def __call__(self, *shapes: tuple[int, ...]) -> list[torch.Tensor]:
        """One float64 tensor a shape, entries O(1), with two decimals at most, so that they can be copied by hand."""
        generator = self.generator()
        return [self._fill(shape, generator) for shape in shapes]

    def _fill(self, shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
        if self.kind == "small integers":
            return torch.randint(-2, 3, shape, generator=generator).to(torch.float64)
        if self.kind == "uniform":
            return (torch.rand(shape, generator=generator, dtype=torch.float64) * 4 - 2).round(decimals=2)
        return torch.randn(shape, generator=generator, dtype=torch.float64).round(decimals=2)


@lru_cache(maxsize=None)
def fillers(kinds: tuple[str, ...] = KINDS) -> st.SearchStrategy[Filler]:
    """Draws a `Filler` (two small draws, however large the tensors are)."""
    return st.tuples(st.sampled_from(kinds), st.integers(0, 2**16)).map(lambda drawn: Filler(*drawn))


@lru_cache(maxsize=None)
def sizes(low: int = 1, high: int = 5) -> st.SearchStrategy[int]:
    """A number of tokens or features."""
    return st.integers(low, high)


@lru_cache(maxsize=None)
def leading(most: int = 2) -> st.SearchStrategy[tuple[int, ...]]:
    """Leading batch dimensions: none, one or two of them, each 1 to 3 long."""
    return st.sampled_from([(), (2,), (3, 2), (1,), (2, 1), (1, 3)][: 6 if most == 2 else 2])


@lru_cache(maxsize=None)
def tensors(*, batch=leading(), low: int = 1, high: int = 5, dims: int = 2, kinds: tuple[str, ...] = KINDS):
    """Draws a float64 tensor with `dims` trailing dimensions after the batch dimensions."""
    shapes = st.tuples(batch, *[sizes(low, high)] * dims)
    return st.tuples(shapes, fillers(kinds)).map(lambda drawn: drawn[1]((*drawn[0][0], *drawn[0][1:]))[0])


@lru_cache(maxsize=None)
def distributions(*, batch=leading(), low: int = 1, high: int = 5, dims: int = 1, zeros: bool = False):
    """Draws rows that sum to 1 over the last of `dims` trailing dimensions; with `zeros`, some entries are exactly 0."""
    return tensors(batch=batch, low=low, high=high, dims=dims).map(lambda logits: _rows(logits, zeros))


def _rows(logits: torch.Tensor, zeros: bool) -> torch.Tensor:
    weights = torch.exp2(logits)  # small integers then give plain fractions
    alpha = weights / weights.sum(-1, keepdim=True)
    if zeros and logits.shape[-1] > 1:
        alpha = alpha * (logits >= logits.median(-1, keepdim=True).values)
        alpha = alpha / alpha.sum(-1, keepdim=True)
    return alpha


def on_grid(X: torch.Tensor) -> torch.Tensor:
    """`X` rounded to sixteenths: exact also in float32, and after a shift by 10,000."""
    return (X * 16).round() / 16


def permutations(n: int) -> st.SearchStrategy[list[int]]:
    """An order of n tokens."""
    return st.permutations(range(n))


_FILLER, _GIVEN = "__filler__", "__drawn_given__"


def packed(value: Any) -> Any:
    """Drawn inputs as plain data that the wire's codec can write."""
    if isinstance(value, Filler):
        return (_FILLER, value.kind, value.seed)
    if isinstance(value, Given):
        return (_GIVEN, described(value))
    if type(value) in (list, tuple):
        return type(value)(packed(item) for item in value)
    return {key: packed(item) for key, item in value.items()} if type(value) is dict else value


def unpacked(value: Any) -> Any:
    """What `packed` was given."""
    kind = type(value)
    if kind is list:
        return [unpacked(item) for item in value]
    if kind is tuple:
        if value and type(value[0]) is str and value[0] == _FILLER:
            return Filler(*value[1:])
        if value and type(value[0]) is str and value[0] == _GIVEN:
            return undescribed(value[1])
        return tuple([unpacked(item) for item in value])
    return {key: unpacked(item) for key, item in value.items()} if kind is dict else value
