"""Where things are: every place in which an exercise, a check or an assignment is written, built or tested."""

from __future__ import annotations

import ast
import difflib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from autograder.assignment import public_exercises, with_staff_half
from autograder.exercise import HIDDEN, Exercise
from autograder.places import CourseError, assignments, built_file, given_file, has_staff_half


@dataclass(frozen=True)
class Place:
    """One place: what is there, and the path with a line or cell, as an editor takes it."""

    what: str
    at: str


def places_of(root: Path, name: str) -> list[tuple[str, list[Place]]]:
    """The places of an exercise, a check (of every exercise that has one of that name) or an assignment: headings and places below them.

    Raises `CourseError` with the nearest names where nothing is called so.
    """
    exercises = [exercise for assignment in assignments() for exercise in _exercises(root, assignment).values()]
    if name in assignments():
        return [(f"{name}, an assignment", [*_of_assignment(root, name)])]
    found = [(_title(exercise), [*_of_exercise(root, exercise)]) for exercise in exercises if exercise.name == name]
    found += [_of_check(root, exercise, check) for exercise in exercises for check in exercise.checks if check.name == name]
    if not found:
        raise CourseError(f"nothing is called {name!r}{_nearest(name, exercises)}")
    return found


def names(root: Path | None) -> list[str]:
    """All that `places_of` knows: assignments, exercises, checks."""
    exercises = [exercise for assignment in assignments() for exercise in _exercises(root, assignment).values()]
    return sorted({*assignments(), *(e.name for e in exercises), *(check.name for e in exercises for check in e.checks)})


def _exercises(root: Path | None, assignment: str) -> dict[str, Exercise]:
    public = public_exercises(assignment)
    return with_staff_half(assignment, root) if public and has_staff_half(assignment, root) else public


def _nearest(name: str, exercises: list[Exercise]) -> str:
    known = {*assignments(), *(e.name for e in exercises), *(check.name for e in exercises for check in e.checks)}
    folded = {one.lower(): one for one in sorted(known)}
    near = [folded[one] for one in difflib.get_close_matches(name.lower(), folded, n=3, cutoff=0.5)]
    near += [one for one in sorted(known) if name.lower() in one.lower() and one not in near][:3]
    return f"; near it are {', '.join(near)}" if near else f"; the assignments are {', '.join(assignments())}"


def _title(exercise: Exercise) -> str:
    hidden = sum(check.visibility == HIDDEN for check in exercise.checks)
    return (f"{exercise.name}, an exercise of {exercise.assignment}: {exercise.title} "
            f"({_points(exercise.points)}, {len(exercise.checks) - hidden} public checks, {hidden} hidden)")


def _of_exercise(root: Path, exercise: Exercise) -> Iterator[Place]:
    name, assignment = exercise.name, exercise.assignment
    public, staff = _halves(root, exercise)
    yield Place("public half", _shown(root, public))
    if staff.is_file():
        yield Place("staff half", f"{_shown(root, staff)}:{_line(staff, name)} (the reference)")
    script = root / "source" / assignment / f"{assignment}.py"
    slot = _line_with(script, f'exercise="{name}"')
    yield Place("slot in the lesson", f"{_shown(root, script)}:{slot}")
    yield from _notebooks(root, assignment, name)
    for path in (built_file(assignment), staff.parent / "built.json"):
        built = f'"{name}"' in _text(path)
        yield Place("built", f"{_shown(root, path)}{'' if built else _not_built(assignment)}")
    for check in exercise.checks:
        half = staff if check.visibility == HIDDEN else public
        yield Place(f"{check.visibility} check, {_points(check.points)}", f"{_shown(root, half)}:{_line(half, check.name)} {check.name}")
    yield from _tests(root, name)


def _of_check(root: Path, exercise: Exercise, check) -> tuple[str, list[Place]]:
    half = _halves(root, exercise)[check.visibility == HIDDEN]
    places = [Place("written", f"{_shown(root, half)}:{_line(half, check.name)}")]
    staff = _halves(root, exercise)[1]
    places += [Place("must catch", f"{_shown(root, staff)}:{_line(staff, known.name)} {known.name}")
               for known in exercise.misconceptions if known.caught_by is check]
    places += [*_notebooks(root, exercise.assignment, exercise.name, only_checks=True), *_tests(root, check.name)]
    return f"{check.name}, a {check.visibility} check of {exercise.name} in {exercise.assignment}: {check.title} ({_points(check.points)})", places


def _of_assignment(root: Path, name: str) -> Iterator[Place]:
    yield Place("entry in the course", f"course.yaml:{_line_with(root / 'course.yaml', 'name: ' + name)}")
    for what, path in (("lesson", root / "source" / name / f"{name}.py"), ("source notebook, built", root / "source" / name / f"{name}.ipynb"),
                       ("release, built", root / "release" / name / f"{name}.ipynb"), ("public halves", built_file(name).parent),
                       ("given to students", given_file(name)), ("staff halves", root / "solutions" / name)):
        if path.exists() or what != "given to students":
            yield Place(what, f"{_shown(root, path)}{'' if path.exists() else f' (missing: autograder build {name})'}")
    for exercise in _exercises(root, name).values():
        yield Place(f"exercise, {_points(exercise.points)}", exercise.name)


def _halves(root: Path, exercise: Exercise) -> tuple[Path, Path]:
    return built_file(exercise.assignment).with_name(f"{exercise.name}.py"), root / "solutions" / exercise.assignment / f"{exercise.name}.py"


def _notebooks(root: Path, assignment: str, name: str, *, only_checks: bool = False) -> Iterator[Place]:
    """The cells of an exercise in the built notebooks, counted from 1 as Jupyter has them from above."""
    for folder in ("source", "release"):
        path = root / folder / assignment / f"{assignment}.ipynb"
        try:
            cells = [cell["id"] for cell in json.loads(_text(path))["cells"]]
        except (ValueError, KeyError, TypeError):
            cells = []
        found = [f"cell {cells.index(one) + 1} ({what})" for one, what in ((name, "answer"), (f"{name}-checks", "checks"))
                 if one in cells and not (only_checks and what == "answer")]
        told = f", {', '.join(found)}" if found else _not_built(assignment)
        yield Place(f"{folder} notebook", f"{_shown(root, path)}{told}")


def _tests(root: Path, name: str) -> Iterator[Place]:
    """The lines of the kit's tests, its catalogue and attacks that name it as a whole string or word."""
    for path in sorted((root / "tests").rglob("*.py")) if (root / "tests").is_dir() else []:
        named = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
        lines = [number for number, line in enumerate(_text(path).splitlines(), 1) if named.search(line)]
        if lines:
            more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
            yield Place("catalogue" if path.parent.name == "catalogue" else "test", f"{_shown(root, path)}:{lines[0]}{more}")


def _not_built(assignment: str) -> str:
    return f" (not in it yet: autograder build {assignment})"


def _points(points: float) -> str:
    return f"{points:g} point{'' if points == 1 else 's'}"


def _shown(root: Path, path: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _line(path: Path, name: str) -> int | str:
    """The line of a file on which a function or class of that name is defined; "?" where there is none."""
    nodes = (node for node in ast.parse(_text(path)).body if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
    return next((node.lineno for node in nodes if node.name == name), "?")


def _line_with(path: Path, part: str) -> int | str:
    return next((number for number, line in enumerate(_text(path).splitlines(), 1) if re.search(rf"{re.escape(part)}(?!\w)", line)), "?")
