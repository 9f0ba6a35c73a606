"""Small cases: for each check, the smallest inputs on which known mistakes fail, found when the assignment is built.

A failing answer meets these first, so that most students are shown a case that can be worked out by hand, at once and for
all the same; only an answer that passes them all is shrunk by hypothesis. They come from the public seed, never from the
deck. Those of hidden checks stay with the staff's files.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from autograder.exercise import Check, Exercise
from autograder.explore import PUBLIC_SEED, first_failure, seed_of, size_of, smallest_failure
from autograder.failing import known_failing
from autograder.strategies import packed, unpacked
from autograder.student import Student, local
from autograder.untrusted import wire

KEPT = 6
CALLS = 300
_MATTERS = ("smallcases.py", "tells.py", "failing.py", "explore.py", "strategies.py", "compare.py", "properties.py", "case.py", "conform.py", "student.py", "built.py", "given.py")


def find_small_cases(exercise: Exercise, *, visibility: str) -> dict[str, str]:
    """For each check of that visibility, its small cases as text, smallest first."""
    return {check.name: _as_text(_cases(exercise, check)) for check in exercise.checks if check.visibility == visibility}


def _cases(exercise: Exercise, check: Check) -> list[dict[str, Any]]:
    """Cases on which every misconception fails that fails the check at all; those that the check is there for come first."""
    seed = seed_of(PUBLIC_SEED, exercise.assignment, exercise.name, check.name)
    found: list[dict[str, Any]] = []
    for known in sorted(exercise.misconceptions, key=lambda known: known.caught_by is not check):
        student = local(known.function, exercise)
        if len(found) == KEPT or first_failure(check, student, found) or not known_failing(exercise, check, known):
            continue
        failure = smallest_failure(check, _for_so_many_calls(student), seed=seed, ignore=_Spent)
        if failure is not None:
            found.append(failure.drawn)
    return sorted(found, key=lambda one: (size_of(one), wire.encode(packed(one))))


class _Spent(BaseException):
    """The calls allowed for shrinking are used up."""


def _for_so_many_calls(student: Student) -> Student:
    """`student`, until it has been asked `CALLS` times: counted, not timed, so that every build finds the same."""
    left = CALLS

    def ask(operation: tuple) -> tuple:
        nonlocal left
        left -= 1
        if left < 0:
            raise _Spent
        return student.ask(operation)
    return Student(ask, student.exercise)


def fingerprint(exercises: dict[str, Exercise], solutions: Path) -> str:
    """Changes with everything that small cases depend on: the assignment's two halves and the kit's modules that draw and compare."""
    package = Path(__file__).parent
    assignment = next(iter(exercises.values())).assignment
    kit = [package / name for name in _MATTERS] + [package / "untrusted/operations.py", package / "untrusted/modules.py"]
    digest = hashlib.sha256()
    for path in [*kit, *sorted((package / "exercises" / assignment).glob("*.py")), *sorted(solutions.glob("*.py"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def _as_text(cases: list[dict[str, Any]]) -> str:
    return base64.b64encode(wire.encode(packed(cases))).decode("ascii")


def load_small_cases(exercise: Exercise, path: Path) -> None:
    """Read an exercise's small cases from a built file into `exercise.small_cases`; without a sound file there are none."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))["small_cases"][exercise.name]
        exercise.small_cases.update({name: unpacked(wire.decode(base64.b64decode(text))) for name, text in stored.items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, wire.WireError):
        return  # not built yet, or by an older kit: hypothesis shrinks instead, and the build mends it
