"""The door in the notebook: ``check(softmax)`` under an exercise runs its public checks on the student's own function."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Callable

from autograder.assignment import exercise_named, hidden_counts
from autograder.behaviour import name_behaviour
from autograder.case import Case
from autograder.exercise import PUBLIC, Check, Exercise
from autograder.explore import PUBLIC_SEED, Failure, first_failure, seed_of, size_of, smallest_failure
from autograder.failing import Failing, desk_cases, failing_cases
from autograder.imports import cheap_collections
from autograder.panel import as_html, as_text, headline
from autograder.repeats import SENTENCE, differs_when_repeated
from autograder.results import ExerciseResult, exercise_result
from autograder.student import Student, local
from autograder.tells import recognised
from autograder.verdict import CORRECT, CheckVerdict, ExerciseVerdict, judged

SHRINK_SECONDS = 0.08


class Panel:
    """What a check cell shows: a panel in Jupyter, plain text elsewhere. `result` holds it as data."""

    def __init__(self, result: ExerciseResult) -> None:
        self.result = result

    def _repr_html_(self) -> str:
        return as_html(self.result)

    def __repr__(self) -> str:
        return as_text(self.result)


def check(function: Callable) -> None:
    """Run the public checks of an exercise on `function` and show what holds and what does not.

    The exercise is found by the function's name. Raises ValueError when there is none of that name.
    When a check does not hold and it is nbgrader that runs the notebook (its button Validate, or plain nbgrader grading it), one line goes to
    stderr, which nbgrader takes for failure. The student, who has the panel, is spared it.
    """
    exercise = _exercise_of(function)
    with cheap_collections():
        panel = Panel(exercise_result(verdict_at_the_desk(exercise, function)))
    if _in_notebook():
        from IPython.display import display
        display(panel)
    else:
        print(panel)
    if panel.result.outcome != CORRECT and "NBGRADER_EXECUTION" in os.environ:
        print(headline(panel.result), file=sys.stderr)


def verdict_at_the_desk(exercise: Exercise, function: Callable) -> ExerciseVerdict:
    """The verdict of the public checks on a function of this process, inputs drawn from the public seed."""
    verdict = ExerciseVerdict(exercise, [], not_run=hidden_counts(exercise.assignment).get(exercise.name, 0))
    student, remarks = local(function, exercise), set()
    failures: dict[str, Failing] = {}
    shown: list[tuple[CheckVerdict, Case]] = []
    spend = time.monotonic() + SHRINK_SECONDS
    for one in exercise.checks:
        if one.visibility == PUBLIC:
            failing = failing_cases(one, student, desk_cases(exercise, one), remarks)
            if failing:
                failures[one.name] = failing
                told, case = _told(exercise, one, student, failing, spend)
                verdict.checks.append(told)
                shown.append((told, case))
            else:
                verdict.checks.append(CheckVerdict(one, CORRECT))
    verdict.remarks = sorted(remarks)
    if failures:
        name_behaviour(verdict, recognised(exercise, failures))
    if verdict.behaves_like is None:
        if any(differs_when_repeated(case, student.ask) for _, case in shown):
            for told, _ in shown:
                told.message += f" {SENTENCE}"
    return verdict


def _told(exercise: Exercise, one: Check, student: Student, failing: Failing, spend: float) -> tuple[CheckVerdict, Case]:
    """The verdict on a failing check, shown on a small case of the build, else shrunk until time `spend`."""
    known = first_failure(one, student, exercise.small_cases.get(one.name, []))
    if known is not None:
        return judged(exercise, one, known.error, known.case), known.case
    cases = desk_cases(exercise, one)
    smallest = min((Failure(cases[place], *found) for place, found in failing.items()), key=lambda failure: size_of(failure.drawn))
    seed = seed_of(PUBLIC_SEED, exercise.assignment, exercise.name, one.name)
    shrunk = smallest_failure(one, _patient(student, spend), seed=seed, ignore=_Spent)
    if shrunk is not None and size_of(shrunk.drawn) <= size_of(smallest.drawn):
        smallest = shrunk
    return judged(exercise, one, smallest.error, smallest.case), smallest.case


class _Spent(BaseException):
    """The time for shrinking is used up."""


def _patient(student: Student, spend: float) -> Student:
    """`student`, until time `spend`."""
    def ask(operation: tuple) -> tuple:
        if time.monotonic() > spend:
            raise _Spent
        return student.ask(operation)
    return Student(ask, student.exercise)


def _exercise_of(function: Any) -> Exercise:
    exercise = exercise_named(getattr(function, "__name__", ""))
    if exercise is None:  # a partial, a lambda or a wrapped function: by the variable that holds it
        names = [name for name, value in _notebook_names().items() if value is function]
        exercise = next(filter(None, map(exercise_named, names)), None)
    if exercise is None:
        name = getattr(function, "__name__", repr(function)[:40])
        raise ValueError(f"there is no exercise called {name!r}; pass the function that you were asked to write, as in check(softmax)")
    return exercise


def _notebook_names() -> dict[str, Any]:
    return dict(vars(sys.modules.get("__main__")))


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")
