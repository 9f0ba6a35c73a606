"""Drawing inputs with hypothesis: the cases of a check, and the smallest case that fails it."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass
from typing import Any, Callable, Iterator
from unittest.mock import patch

import torch
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.internal.conjecture import engine, providers

from autograder.case import Case, running
from autograder.exercise import Check
from autograder.student import Student

PUBLIC_SEED = 0
_CONSTANTS: dict[Any, Any] = {}


@dataclass
class Failure:
    """The smallest failing case that was found: its inputs, what the check raised, and the calls that were made."""

    drawn: dict[str, Any]
    error: BaseException
    case: Case


def seed_of(*parts: Any) -> int:
    """A 64-bit seed that depends on every part: course seed, exercise, check."""
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest()[:8], "big")


def draw_cases(check: Check, *, seed: int) -> list[dict[str, Any]]:
    """The inputs of every case of `check`, smallest first as hypothesis tends to draw them."""
    cases: list[dict[str, Any]] = []
    _run(check, lambda drawn: cases.append(drawn), seed, (Phase.generate,))
    return cases


def smallest_failure(check: Check, student: Student, *, seed: int, ignore: type[BaseException] | tuple = (),
                     remarks: set[str] | None = None) -> Failure | None:
    """Run `check` on fresh inputs and shrink a failure. None when every case holds.

    An exception of type `ignore` ends the search and is no failure itself: what was found before counts. Remarks on the
    student's answers are added to `remarks`.
    """
    last: list[Failure] = []

    def attempt(drawn: dict[str, Any]) -> None:
        with running(Case()) as case:
            try:
                check.body(student, **drawn)
            except BaseException as error:
                if not isinstance(error, ignore):
                    last[:] = [Failure(drawn, error, case)]
                raise
            finally:
                if remarks is not None:
                    remarks.update(case.remarks)

    try:
        _run(check, attempt, seed, (Phase.generate, Phase.shrink))
    except BaseException as error:
        if not last and not isinstance(error, ignore):
            raise
    return last[0] if last else None


def first_failure(check: Check, student: Student, cases: list[dict[str, Any]]) -> Failure | None:
    """The first of given cases that fails, or None. What is no Exception passes through."""
    for drawn in cases:
        with running(Case()) as case:
            try:
                check.body(student, **drawn)
            except Exception as error:  # noqa: BLE001 - the student's mistake, to be told
                return Failure(drawn, error, case)
    return None


def _run(check: Check, attempt: Callable[[dict[str, Any]], None], number: int, phases: tuple) -> None:
    @seed(number)
    @settings(max_examples=check.examples, database=None, deadline=None, phases=phases, derandomize=False,
              suppress_health_check=list(HealthCheck), report_multiple_bugs=False, print_blob=False)
    @given(**check.inputs)
    def run(**drawn: Any) -> None:
        attempt(drawn)

    with _from_the_seed_alone(), _each_anew():
        run()


@contextlib.contextmanager
def _each_anew() -> Iterator[None]:
    """Of what it drew, hypothesis makes up to five more examples in which parts are repeated: of 25 cases a third or less was drawn afresh,
    and one deck in some hundreds met one axis only. A deck is small and its cases are better spent on inputs of their own."""
    if not hasattr(engine.ConjectureRunner, "generate_mutations_from"):
        yield
        return
    with patch.object(engine.ConjectureRunner, "generate_mutations_from", lambda runner, data: None):
        yield


@contextlib.contextmanager
def _from_the_seed_alone() -> Iterator[None]:
    """Hypothesis also draws numbers that stand in the source of loaded modules: then inputs would depend on what is loaded."""
    if not hasattr(providers, "_get_local_constants"):  # before 6.131
        yield
        return
    with patch.object(providers, "_get_local_constants", providers.Constants), patch.object(providers, "CONSTANTS_CACHE", _CONSTANTS):
        yield


def size_of(value: Any) -> float:
    """How large drawn inputs are: the number of entries of all their tensors."""
    if isinstance(value, torch.Tensor):
        return value.numel()
    if isinstance(value, dict):
        return sum(map(size_of, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(size_of, value))
    return 0.0
