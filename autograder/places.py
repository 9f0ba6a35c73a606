"""Where the files of assignments lie, without loading any of them: what the command line asks for before it knows what it is to do."""

from __future__ import annotations

import pkgutil
import traceback
from functools import lru_cache
from pathlib import Path
from typing import Iterable

from autograder import exercises as public


class CourseError(Exception):
    """What the command line says in one sentence: something about the course's own files is wrong. It names the file and the mending command."""


@lru_cache
def assignments() -> tuple[str, ...]:
    """The names of all assignments in the package."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(public.__path__) if module.ispkg))


def public_folder() -> Path:
    """The folder of the public halves."""
    return Path(public.__path__[0])


@lru_cache
def _exercises() -> dict[str, str]:
    """By exercise its assignment."""
    return {path.stem: name for name in assignments() for path in (public_folder() / name).glob("[!_]*.py")}


def another_assignment(grade_ids: Iterable[str], assignment: str) -> str:
    """The assignment whose notebook has check cells of these ids, where they are another's than `assignment`; otherwise nothing."""
    there = [_exercises().get(one.removesuffix("-checks"), "") for one in grade_ids if one.endswith("-checks")]
    others = [name for name in there if name]
    return max(sorted(set(others)), key=others.count) if others and assignment not in others else ""


def built_file(assignment: str) -> Path:
    """Where the build puts what a student's copy of an assignment needs to know."""
    return public_folder() / assignment / "built.json"


def given_file(assignment: str) -> Path:
    """Where an assignment defines what is given to students in locked cells."""
    return public_folder() / assignment / "_given.py"


def has_staff_half(assignment: str, root: Path | None) -> bool:
    """Whether the staff's files of `assignment` lie under `root`."""
    return root is not None and (root / "solutions" / assignment).is_dir()


def at_fault(error: Exception, *paths: Path) -> str:
    """``file:line: what was raised``, the place being the last one in an author's files (`paths`) that the error passed."""
    if isinstance(error, SyntaxError) and error.filename in map(str, paths):
        return f"{error.filename}:{error.lineno}: not valid Python ({error.msg})"
    places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__) if frame.filename in map(str, paths)]
    return f"{places[-1] if places else f'{paths[0]}:1'}: raises {type(error).__name__} ({error})"
