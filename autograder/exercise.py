"""The vocabulary: an exercise, its checks, and the right and wrong answers that the checks are held against."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Callable

import torch

from autograder.imports import without_plugins

with without_plugins():
    from hypothesis import strategies as st

from autograder.case import current_case
from autograder.conform import Shaped
from autograder.student import Student, local

PUBLIC, HIDDEN = "public", "hidden"


@dataclass(frozen=True, eq=False)
class Check:
    """One check: a function of the student's function and of drawn inputs, whose docstring is the title.

    kept: why it is there although other checks catch all that it catches (empty where it catches something alone).
    """

    name: str
    title: str
    body: Callable[..., None]
    inputs: dict[str, st.SearchStrategy]
    points: float
    hint: str
    visibility: str
    examples: int
    kept: str = ""

    def __repr__(self) -> str:
        return f"<{self.visibility} check {self.name}>"


@dataclass(frozen=True, eq=False)
class Answer:
    """A whole answer by the staff: the reference, an alternate, or a misconception (with `tell` and `caught_by`)."""

    name: str
    function: Callable
    tell: str = ""
    caught_by: Check | None = None


@dataclass(eq=False)
class Exercise:
    """One exercise of an assignment.

    module: pass ``__name__``; its last part is the exercise's name, the one before it the assignment's.
    title: what the student reads. returns: a function with the exercise's parameters that gives each result's name and
    `Shaped`. forbids: dotted names of library functions whose use is flagged for a person.

    For a class: parameters: a function with the constructor's parameters that gives name and shape of every parameter of the module.
    returns: one function for each method, whose first argument is the `Built` module. aliases: (pattern, replacement) renamings of
    parameters that are tried when a name is missing. gives_init: whether the student is given ``__init__``.

    small_cases, fails: what the build found: small inputs on which known mistakes fail, by check; the checks that each misconception fails.
    """

    module: str
    title: str
    returns: Callable[..., dict[str, Shaped]] | dict[str, Callable[..., dict[str, Shaped]]]
    forbids: tuple[str, ...] = ()
    parameters: Callable[..., dict[str, tuple[int, ...]]] | None = None
    aliases: tuple[tuple[str, str], ...] = ()
    gives_init: bool = True
    checks: list[Check] = field(default_factory=list)
    reference: Reference | None = None
    alternates: list[Answer] = field(default_factory=list)
    misconceptions: list[Answer] = field(default_factory=list)
    equivalents: dict[str, str] = field(default_factory=dict)
    small_cases: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    fails: dict[str, set[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The exercise's name: its function's or class's."""
        return self.module.rpartition(".")[2]

    @property
    def assignment(self) -> str:
        """The assignment that the exercise belongs to."""
        return self.module.split(".")[-2]

    @cached_property
    def context(self) -> dict[str, Any]:
        """What the process needs in which the student's code is asked: the source of given models, and the aliases."""
        path = Path(sys.modules[self.module].__file__ or "").parent / "_given.py"
        return {"given": path.read_text(encoding="utf-8") if path.is_file() else "", "aliases": [list(pair) for pair in self.aliases]}

    @property
    def points(self) -> float:
        """The sum of the checks' points."""
        return sum(check.points for check in self.checks)

    def check(self, *, points: float, hint: str, examples: int = 25, kept: str = "") -> Callable[[Callable], Check]:
        """Register a public check, which needs no reference and also runs at the student's desk.

        Use it above ``@given``: the decorated function takes `student` and the drawn inputs. examples: how many are drawn.
        kept: why the check is there although others catch all that it catches; `autograder doctor` asks for it.
        """
        return lambda function: self._register(function, points, hint, PUBLIC, examples, kept)

    def hidden_check(self, *, points: float, hint: str, examples: int = 25, kept: str = "") -> Callable[[Callable], Check]:
        """Register a check that runs only in grading, on inputs seeded from the course's secret (staff half)."""
        return lambda function: self._register(function, points, hint, HIDDEN, examples, kept)

    def _register(self, function: Callable, points: float, hint: str, visibility: str, examples: int, kept: str) -> Check:
        handle = getattr(function, "hypothesis", None)
        title = inspect.getdoc(function)
        if handle is None or not title:
            raise TypeError(f"{self.module}: the check {function.__name__} needs @given under the decorator and a docstring")
        if hasattr(function, "hypothesis_explicit_examples"):
            raise TypeError(f"{self.module}: {function.__name__} uses @example; put the case into the strategy instead")
        if points < 0 or any(check.name == function.__name__ for check in self.checks):
            raise ValueError(f"{self.module}: {function.__name__} has negative points or is registered twice")
        check = Check(function.__name__, title.splitlines()[0].rstrip("."), handle.inner_test, dict(handle._given_kwargs),
                      points, hint, visibility, examples, kept)
        self.checks.append(check)
        return check

    def solution(self, function: Callable) -> Reference:
        """Register the reference (staff half). It can be called in hidden checks like the student's function."""
        if function.__name__ != self.name:
            raise ValueError(f"{self.module}: the reference is called {function.__name__}; call it {self.name}")
        self.reference = Reference(function, local(function, self))
        return self.reference

    def alternate(self, function: Callable) -> Callable:
        """Register another correct answer, written differently (staff half)."""
        self.alternates.append(Answer(function.__name__, function))
        return function

    def equivalent(self, change: str, *, because: str) -> None:
        """Say why a mutant of the reference is no wrong answer (staff half). `change` is the line that `autograder doctor` prints."""
        if not because:
            raise ValueError(f"{self.module}: say why {change!r} changes nothing that is asked for")
        self.equivalents[change] = because

    def misconception(self, *, caught_by: Check, tell: str) -> Callable[[Callable], Callable]:
        """Register a wrong answer that people really give (staff half).

        caught_by: the check that must fail it. tell: completes "It behaves like …".
        """
        if caught_by not in self.checks:
            raise ValueError(f"{self.module}: caught_by names {caught_by!r}, which is not a check of this exercise")

        def register(function: Callable) -> Callable:
            self.misconceptions.append(Answer(function.__name__, function, tell, caught_by))
            return function
        return register


@dataclass(eq=False)
class Reference:
    """The reference answer. Within a case that is met again its answers are looked up, not computed again."""

    function: Callable
    student: Student

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As the student's function: results in the agreed form, arguments never changed."""
        return self._remembering(*args, **kwargs)

    def vjp(self, cotangents: tuple, *args: Any, **kwargs: Any) -> Any:
        """As `Student.vjp`."""
        return self._remembering.vjp(cotangents, *args, **kwargs)

    def build(self, *args: Any, **kwargs: Any) -> Any:
        """As `Student.build`: a module of the reference class."""
        return self._remembering.build(*args, **kwargs)

    @cached_property
    def _remembering(self) -> Student:
        return Student(self._remembered, self.student.exercise, recorded=False)

    def _remembered(self, operation: tuple) -> tuple:
        case = current_case()
        if case.used < len(case.reference):
            known, answer = case.reference[case.used]
            case.used += 1
            if same_values(known, operation):
                return answer
        answer = self.student.ask(operation)
        if case.used >= len(case.reference):
            case.reference.append((operation, answer))
            case.used += 1
        return answer


def same_values(one: Any, other: Any) -> bool:
    """Whether two argument lists are equal, tensors bit for bit and of the same dtype."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if type(one) in (tuple, list):
        return len(one) == len(other) and all(map(same_values, one, other))
    if type(one) is dict:
        return one.keys() == other.keys() and all(same_values(one[key], other[key]) for key in one)
    return bool(one == other)
