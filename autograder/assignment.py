"""Finding an assignment's exercises: the public halves in the package, the staff halves under ``solutions/``."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import pkgutil
import sys
from functools import lru_cache
from pathlib import Path
from typing import Iterator

from autograder.exercise import Exercise
from autograder.places import CourseError, assignments, at_fault, built_file, public_folder
from autograder.smallcases import load_small_cases


@lru_cache
def public_exercises(assignment: str) -> dict[str, Exercise]:
    """The exercises of `assignment` by name, public halves only."""
    if assignment not in assignments():
        known = ", ".join(assignments())
        raise CourseError(f"there is no assignment {assignment!r}; this kit has {known}")
    package = importlib.import_module(f"autograder.exercises.{assignment}")
    names = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")]
    exercises = {}
    for name in names:
        with _told(public_folder() / assignment / f"{name}.py"):
            exercises[name] = importlib.import_module(f"{package.__name__}.{name}").exercise
    for exercise in exercises.values():
        load_small_cases(exercise, built_file(assignment))
    return exercises


@lru_cache
def exercise_named(name: str) -> Exercise | None:
    """The exercise of that name in any assignment, or None."""
    for assignment in assignments():
        if (public_folder() / assignment / f"{name}.py").is_file():
            return public_exercises(assignment).get(name)
    return None


def with_staff_half(assignment: str, root: Path) -> dict[str, Exercise]:
    """The exercises of `assignment` with reference, hidden checks and misconceptions from ``<root>/solutions``.

    Raises `CourseError` when a staff half is missing, or when there is no exercise at all.
    """
    exercises = public_exercises(assignment)
    if not exercises:
        raise CourseError(f"{assignment} has no exercise yet; start one with: autograder new exercise {assignment} NAME --signature \"X\"")
    for name, exercise in exercises.items():
        if exercise.reference is None:
            _load_staff(exercise, root / "solutions" / assignment / f"{name}.py")
    return exercises


def _load_staff(exercise: Exercise, path: Path) -> None:
    if not path.is_file():
        raise CourseError(f"{path}: the staff half of {exercise.name} is missing; restore it with: git checkout -- {path}")
    name = f"autograder_staff.{exercise.assignment}.{exercise.name}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _told(path):
        spec.loader.exec_module(module)
    load_small_cases(exercise, path.parent / "built.json")
    _load_fails(exercise, path.parent / "built.json")
    if exercise.reference is None:
        raise CourseError(f"{path}: no reference; put @exercise.solution above the function {exercise.name}")


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """What an author's file raises while it is loaded, as one sentence with file and line."""
    try:
        yield
    except CourseError:
        raise
    except Exception as error:
        sys.modules.pop(f"autograder_staff.{path.parent.name}.{path.stem}", None)
        raise CourseError(f"{at_fault(error, path)} when it is loaded; mend it there") from error


def _load_fails(exercise: Exercise, path: Path) -> None:
    """Read which checks each misconception fails; without a sound file two mistakes at once are not recognised."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        stored = json.loads(path.read_text(encoding="utf-8"))["fails"][exercise.name]
        exercise.fails.update({name: set(checks) for name, checks in stored.items()})


@lru_cache
def hidden_counts(assignment: str) -> dict[str, int]:
    """How many hidden checks each exercise has, as built (a student's copy holds no more than the number)."""
    path = built_file(assignment)
    return json.loads(path.read_text())["hidden_checks"] if path.is_file() else {}
