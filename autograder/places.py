"""Where the files of assignments lie, without loading any of them: what the command line asks for before it knows what it is to do."""

from __future__ import annotations

import pkgutil
from functools import lru_cache
from pathlib import Path

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


def built_file(assignment: str) -> Path:
    """Where the build puts what a student's copy of an assignment needs to know."""
    return public_folder() / assignment / "built.json"


def given_file(assignment: str) -> Path:
    """Where an assignment defines what is given to students in locked cells."""
    return public_folder() / assignment / "_given.py"


def has_staff_half(assignment: str, root: Path | None) -> bool:
    """Whether the staff's files of `assignment` lie under `root`."""
    return root is not None and (root / "solutions" / assignment).is_dir()
