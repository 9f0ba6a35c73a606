"""Kills: which checks an answer fails, after how many examples, and by how much."""

from __future__ import annotations

import contextlib
import math
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator

import numpy as np
import torch

from autograder.case import Case, running
from autograder.deck import DeckCheck, DeckExercise, replaying
from autograder.exercise import Check
from autograder.student import OverLimit, Student
from autograder.untrusted.operations import perform

ANSWER_SECONDS = 20.0


@dataclass(frozen=True)
class Kill:
    """A check that an answer failed. `example` is the first failing example, counted from 1.

    `margin`: how far the worst compared number was off in units of its tolerance; infinite where no number was compared (a shape, a
    refusal, a sentence).
    """

    check: Check
    example: int
    margin: float


def kills(deck: DeckExercise, function: Callable, *, checks: Iterable[Check] | None = None, every_example: bool = False) -> Iterator[Kill]:
    """The checks of `deck` that `function` fails, one by one; those in `checks` only, where they are given.

    With `every_example` the margin is the largest over all examples, else that of the first failing one. An answer that runs longer than
    `ANSWER_SECONDS` of CPU time in one check fails it.
    """
    answers = _Once(deck, function)
    wanted = None if checks is None else set(checks)
    for number, check in enumerate(deck.checks):
        if wanted is None or check.check in wanted:
            kill = _killed(deck, check, number, answers, every_example)
            if kill is not None:
                yield kill


def deviation(deck: DeckExercise, function: Callable) -> float:
    """How far a right answer is off at most, in units of the tolerance. Raises `AssertionError` where it fails a check."""
    answers, worst = _Once(deck, function), 0.0
    for number, check in enumerate(deck.checks):
        for at in range(len(check.cases)):
            error, case = _run(deck, check, number, at, answers)
            if error is not None:
                raise AssertionError(f"{check.check.name}: {error}")
            worst = max(worst, *case.deviations, 0.0)
    return worst


class _Once:
    """What a function answers to the operations of a deck, each asked once."""

    def __init__(self, deck: DeckExercise, function: Callable) -> None:
        self.deck, self.function = deck, function
        self.known: dict[int, tuple] = {}

    def ask(self, operation: tuple) -> tuple:
        """One operation, asked anew."""
        return perform(self.function, operation, self.deck.exercise.context)

    def of(self, number: int, start: int, stop: int) -> Sequence:
        """The answers to operations `start` to `stop` of check `number`, asked when they are looked at."""
        return _Asked(self, self.deck.numbers[number][start:stop])


class _Asked(Sequence):
    def __init__(self, once: _Once, numbers: list[int]) -> None:
        self.once, self.numbers = once, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, at: Any) -> tuple:
        number = self.numbers[at]
        if number not in self.once.known:
            self.once.known[number] = self.once.ask(self.once.deck.unique[number])
        return self.once.known[number]


def _killed(deck: DeckExercise, check: DeckCheck, number: int, answers: _Once, every_example: bool) -> Kill | None:
    first, margin = 0, 0.0
    try:
        with _at_most(ANSWER_SECONDS):
            for at in range(len(check.cases)):
                error, case = _run(deck, check, number, at, answers)
                if error is not None:
                    first = first or at + 1
                    margin = max(margin, _margin(error, case))
                    if not every_example or margin == math.inf:
                        break
    except (_TooLong, OverLimit):
        return Kill(check.check, first or 1, math.inf)
    return Kill(check.check, first, margin) if first else None


def _run(deck: DeckExercise, check: DeckCheck, number: int, at: int, answers: _Once) -> tuple[Exception | None, Case]:
    """Run one case of a check on the function's answers; its deviations are measured."""
    recorded = check.cases[at]
    start = sum(len(case.operations) for case in check.cases[:at])
    ask = replaying(recorded.operations, answers.of(number, start, start + len(recorded.operations)), answers.ask)
    with np.errstate(over="ignore"), running(Case(reference=recorded.reference, deviations=[])) as case:
        try:
            check.check.body(Student(ask, deck.exercise), **recorded.drawn)
        except Exception as error:  # noqa: BLE001 - whatever a wrong answer does
            return error, case
    return None, case


def _margin(error: Exception, case: Case) -> float:
    """The margin of one failing case: that of the comparison which failed, the last one that was made."""
    expected = getattr(error, "expected", None)
    compared = isinstance(expected, torch.Tensor) and expected.is_floating_point() and getattr(error, "kind", "") in ("values", "not_finite")
    return case.deviations[-1] if compared and case.deviations else math.inf


class _TooLong(BaseException):
    """The CPU seconds of an answer are used up."""


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """End what runs too long; only in a process's main thread, where signals arrive."""
    def stop(*_: Any) -> None:
        raise _TooLong
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1.0)  # again and again: an answer may catch it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
