"""Finding what was handed in: one folder a student, ``submitted/<student>/<assignment>/<assignment>.ipynb``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from autograder.imports import nbgrader_api
from autograder.notebook import Submission, Unreadable, parse_submission, read_bytes


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


@dataclass(frozen=True)
class Raw:
    """What lies in a folder, not yet looked into: the notebook's name and bytes, or the reason why there are none."""

    name: str | None
    data: bytes | None
    reason: str = ""
    remarks: tuple[str, ...] = ()


def find_notebook(handed: Handed) -> Found:
    """The notebook to grade. The right name wins; one misnamed notebook is taken; between several nothing is guessed.

    Where the folder itself has none, the folders in it are searched. Never raises for what is in the folder.
    """
    return opened(raw_notebook(handed))


def raw_notebook(handed: Handed) -> Raw:
    """The bytes of the notebook to grade, as `find_notebook` chooses it."""
    try:
        chosen = _choose(handed)
    except OSError as error:
        return Raw(None, None, f"the folder could not be read ({error.strerror}); check its permissions")
    if chosen.path is None:
        return Raw(None, None, chosen.reason)
    name, remarks = chosen.path.name, tuple(chosen.remarks)
    try:
        data = read_bytes(chosen.path)
    except Unreadable as error:
        return Raw(name, None, str(error), remarks)
    except OSError as error:
        return Raw(name, None, f"{name} could not be opened ({error.strerror}); check its permissions", remarks)
    if (handed.folder / "timestamp.txt").exists() and timestamp_of(handed) is None:
        remarks += ("The time stamp (timestamp.txt) could not be read; whether it was late is unknown.",)
    return Raw(name, data, remarks=remarks)


def opened(raw: Raw) -> Found:
    """The notebook in the bytes. Never raises for what is in them."""
    path = Path(raw.name) if raw.name else None
    if raw.data is None:
        return Found(path, None, raw.reason, list(raw.remarks))
    try:
        submission = parse_submission(raw.data)
    except Unreadable as error:
        return Found(path, None, str(error), list(raw.remarks))
    submission.remarks[:0] = raw.remarks
    return Found(path, submission, remarks=list(raw.remarks))


def _choose(handed: Handed) -> Found:
    """The path of the notebook to grade, or the reason why there is none."""
    folder, name = handed.folder, f"{handed.assignment}.ipynb"
    wanted = folder / name
    others = [path for path in _notebooks(folder) if path != wanted]
    if wanted.is_file() or not others and (wanted.exists() or wanted.is_symlink()):
        also = ", ".join(path.name for path in others[:5])
        return Found(wanted, None, remarks=[f"Only {name} was graded; there was also {also}."] if others else [])
    others = others or _nested(folder, name)
    if not others:
        present = ", ".join(sorted(path.name for path in folder.iterdir() if path.name != "timestamp.txt")[:5])
        return Found(None, None, f"no notebook was handed in ({'found ' + present if present else 'the folder is empty'}); hand in {name}")
    names = ", ".join(path.relative_to(folder).as_posix() for path in others[:5])
    if len(others) > 1:
        return Found(None, None, f"{len(others)} notebooks and none is called {name} ({names}); rename the one to be graded to {name}")
    return Found(others[0], None, remarks=[f"The notebook is called {names} instead of {name}; it was graded all the same."])


def _notebooks(folder: Path) -> list[Path]:
    """The notebooks in a folder itself: regular files, no hidden ones."""
    return sorted(path for path in folder.iterdir() if path.suffix.lower() == ".ipynb" and not path.name.startswith(".")
                  and path.is_file() and not path.is_symlink())


def _nested(folder: Path, name: str) -> list[Path]:
    """The notebooks in the folders of a folder, to a depth of three, links and hidden folders (and macOS's) left out.

    Where exactly one of them has the right name, it alone.
    """
    found, level = [], [folder]
    for _ in range(3):
        level = [entry for one in level for entry in sorted(one.iterdir()) if entry.is_dir() and not entry.is_symlink()
                 and not entry.name.startswith((".", "__")) and entry.suffix != ".ipynb"]
        found += [path for one in level for path in _notebooks(one)]
    named = [path for path in found if path.name == name]
    return named if len(named) == 1 else found


def timestamp_of(handed: Handed) -> datetime | None:
    """When it was handed in (UTC), from timestamp.txt as nbgrader has it; None when missing or not readable as a time."""
    return timestamp_in(handed.folder)


def timestamp_in(folder: Path) -> datetime | None:
    """The time in a folder's timestamp.txt (UTC); None when missing or not readable as a time."""
    path = folder / "timestamp.txt"
    try:
        text = path.read_text(encoding="utf-8-sig").strip() if path.is_file() and not path.is_symlink() else ""
        return nbgrader_api().utils.parse_utc(text) if text else None
    except (ValueError, OverflowError, OSError, TypeError):
        return None
