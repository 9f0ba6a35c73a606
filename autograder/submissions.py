"""Finding what was handed in: one folder a student, ``submitted/<student>/<assignment>/<assignment>.ipynb``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from autograder.imports import nbgrader_api
from autograder.notebook import Submission, Unreadable, read_submission


@dataclass(frozen=True)
class Handed:
    """One student's folder for one assignment."""

    student: str
    assignment: str
    folder: Path


@dataclass
class Found:
    """The notebook of a folder, or why there is none; `remarks` says what was odd."""

    path: Path | None
    submission: Submission | None
    reason: str = ""
    remarks: list[str] = field(default_factory=list)


def handed_in(root: Path, assignment: str) -> list[Handed]:
    """All submissions of `assignment` in the course at `root`, by student."""
    folder = root / "submitted"
    if not folder.is_dir():
        return []
    students = sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    return [Handed(entry.name, assignment, entry / assignment) for entry in students if (entry / assignment).is_dir()]


def find_notebook(handed: Handed) -> Found:
    """The notebook to grade. The right name wins; one misnamed notebook is taken; between several nothing is guessed."""
    wanted = handed.folder / f"{handed.assignment}.ipynb"
    others = sorted(path for path in handed.folder.iterdir() if path.suffix == ".ipynb" and path != wanted and not path.name.startswith("."))
    remarks = []
    if not wanted.exists() and not wanted.is_symlink():
        if not others:
            present = ", ".join(sorted(path.name for path in handed.folder.iterdir() if path.name != "timestamp.txt")[:5])
            return Found(None, None, f"no notebook was handed in ({'found ' + present if present else 'the folder is empty'}); "
                                     f"hand in {wanted.name}")
        if len(others) > 1:
            return Found(None, None, f"{len(others)} notebooks and none is called {wanted.name} ({', '.join(p.name for p in others[:5])}); "
                                     f"rename the one to be graded to {wanted.name}")
        remarks.append(f"The notebook is called {others[0].name} instead of {wanted.name}; it was graded all the same.")
        wanted, others = others[0], []
    if others:
        remarks.append(f"Only {wanted.name} was graded; there was also {', '.join(path.name for path in others[:5])}.")
    try:
        submission = read_submission(wanted)
    except Unreadable as error:
        return Found(wanted, None, str(error), remarks)
    except OSError as error:
        return Found(wanted, None, f"{wanted.name} could not be opened ({error.strerror}); check its permissions", remarks)
    submission.remarks[:0] = remarks
    return Found(wanted, submission, remarks=remarks)


def timestamp_of(handed: Handed) -> datetime | None:
    """When it was handed in (UTC), from timestamp.txt as nbgrader has it; None when missing or not readable as a time."""
    path = handed.folder / "timestamp.txt"
    try:
        text = path.read_text(encoding="utf-8").strip() if path.is_file() and not path.is_symlink() else ""
        return nbgrader_api().utils.parse_utc(text) if text else None
    except (ValueError, OverflowError, OSError, TypeError):
        return None
