"""The cases of a check that an answer fails, on the inputs that are drawn at the desk."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from autograder.case import Case, running
from autograder.exercise import Answer, Check, Exercise
from autograder.explore import PUBLIC_SEED, draw_cases, seed_of
from autograder.student import OverLimit, Student, local

Failing = dict[int, tuple[BaseException, Case]]  # by the place of a failing case: what the body raised, and the calls it made


@lru_cache(maxsize=None)
def desk_cases(exercise: Exercise, check: Check) -> list[dict[str, Any]]:
    """The cases of a check from the public seed, drawn once in a process."""
    return draw_cases(check, seed=seed_of(PUBLIC_SEED, exercise.assignment, exercise.name, check.name))


def failing_cases(check: Check, student: Student, cases: list[dict[str, Any]], remarks: set[str]) -> Failing:
    """The cases that fail. Remarks on the answers, right ones too, are added to `remarks`."""
    failing: Failing = {}
    for place, drawn in enumerate(cases):
        with running(Case()) as case:
            try:
                check.body(student, **drawn)
            except (Exception, OverLimit) as error:  # noqa: BLE001 - the student's mistake, to be told
                failing[place] = error, case
            remarks |= case.remarks
        if place in failing and isinstance(failing[place][0], OverLimit):
            break
    return failing


@lru_cache(maxsize=4096)
def known_failing(exercise: Exercise, check: Check, known: Answer) -> Failing:
    """The cases that a misconception fails; the build asks for them more than once."""
    failing = failing_cases(check, local(known.function, exercise), desk_cases(exercise, check), set())
    return {place: (error.with_traceback(None), case) for place, (error, case) in failing.items()}  # without the frames, which are large
