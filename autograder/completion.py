"""What the shell offers when Tab is pressed: names of assignments, students, exercises."""

from __future__ import annotations

from pathlib import Path

from autograder.places import assignments, public_folder


def assignment_names(incomplete: str) -> list[str]:
    """The kit's assignments."""
    return [name for name in assignments() if name.startswith(incomplete)]


def student_names(incomplete: str) -> list[str]:
    """Students who handed something in."""
    from autograder.course import find_root
    folder = (find_root() or Path()) / "submitted"
    return sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and entry.name.startswith(incomplete)) if folder.is_dir() else []


def exercise_names(incomplete: str) -> list[str]:
    """The exercises of all assignments, and the assignments."""
    names = {*assignments(), *(path.stem for path in public_folder().glob("*/[!_]*.py"))}
    return sorted(name for name in names if name.startswith(incomplete))
