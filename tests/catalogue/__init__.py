"""A catalogue of wrong and of right but unusual answers, each written independently of the staff's misconceptions.

Every module holds answers to one assignment, whose name its own begins with. The name of an answer is its number in the
catalogue of mistakes met in public code (M…) or of unusual right answers (V…), with a letter where one number stands for several.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autograder.answers import answer_source

_MODULES = ("attention", "attention_scaled", "multihead", "layernorm", "positional", "transformer", "transformer_layers", "vision")
ASSIGNMENTS = ("attention", "multihead", "layernorm", "positional", "transformer", "vision")


@dataclass(frozen=True)
class Entry:
    """One answer.

    what: how it differs from the usual answer. named: what "behaves like" must say. hinted: what the message or the hint of a check
    that it fails must say instead, where no name can be expected. remark: what a remark must say. lost: the names of the checks that
    it fails, where it is right but for these (None: it is a mistake, and which checks it fails is not prescribed).
    """

    name: str
    exercise: str
    function: Callable
    what: str
    named: str = ""
    hinted: str = ""
    remark: str = ""
    lost: tuple[str, ...] | None = None

    @property
    def number(self) -> str:
        """The number in the catalogue, without a letter."""
        return self.name[:4]

    @property
    def assignment(self) -> str:
        """The assignment of its exercise."""
        return self.function.__module__.rpartition(".")[2].partition("_")[0]

    @property
    def source(self) -> str:
        """The answer as notebook code."""
        file = self.function.__module__.rpartition(".")[2] + ".py"
        return answer_source(Path(__file__).parent / file, self.name, self.exercise)


_entries: dict[str, Entry] = {}


def mistake(exercise: str, what: str, *, named: str = "", hinted: str = "") -> Callable[[Callable], Callable]:
    """Register a wrong answer, and what the student must be told."""
    return lambda function: _register(Entry(function.__name__, exercise, function, what, named, hinted))


def variant(exercise: str, what: str, *, named: str = "", remark: str = "", lost: tuple[str, ...] = ()) -> Callable[[Callable], Callable]:
    """Register a right but unusual answer: what is remarked on it, and the checks of a convention that it may lose."""
    return lambda function: _register(Entry(function.__name__, exercise, function, what, named, remark=remark, lost=lost))


def _register(entry: Entry) -> Callable:
    if entry.name in _entries:
        raise ValueError(f"{entry.name} is in the catalogue twice")
    _entries[entry.name] = entry
    return entry.function


@lru_cache
def mistakes() -> dict[str, Entry]:
    """All wrong answers by name."""
    return {name: entry for name, entry in _all().items() if entry.lost is None}


@lru_cache
def variants() -> dict[str, Entry]:
    """All right but unusual answers by name."""
    return {name: entry for name, entry in _all().items() if entry.lost is not None}


def _all() -> dict[str, Entry]:
    for module in _MODULES:
        importlib.import_module(f"{__name__}.{module}")
    return dict(sorted(_entries.items()))


# Numbers of the catalogue that no exercise of the course can express, with the reason.
UNFIT = {
    "M191": "padding counted in a metric: no exercise asks for a loss or a metric, and no sequence of the course's tasks is padded",
}
