"""A student's progress: which exercises of the course are done, from the notebooks in a folder.

What was checked is remembered in the user's cache folder, by the bytes of the notebook and of the kit, so that only what was saved since is
checked again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from platformdirs import user_cache_path

from autograder.places import CourseError, assignments

if TYPE_CHECKING:  # the command line's help is there without them
    from autograder.box import Box
    from autograder.results import SubmissionResult
    from autograder.submissions import Found

DEPTH, KEPT = 3, 200
DONE, WRONG, NOT_ATTEMPTED = "done", "wrong", "not attempted"
BUILT = ("source", "submitted", "collected", "autograded", "feedback", "solutions")  # of a course: not the student's own


@dataclass
class Standing:
    """One assignment: the notebook that counts or None, its result, and other notebooks of the same assignment."""

    assignment: str
    path: Path | None = None
    result: SubmissionResult | None = None
    others: list[Path] = field(default_factory=list)


def state_of(outcome: str) -> str:
    """What an exercise's outcome is in a list of progress."""
    return DONE if outcome == "correct" else NOT_ATTEMPTED if outcome in ("not_attempted", "unreadable") else WRONG


def progress_in(folder: Path, *, checking: Callable[[Path], None] = lambda path: None) -> list[Standing]:
    """How every assignment of the kit stands in a folder and those below it. `checking` is told of each notebook that has to be checked.

    Raises `CourseError` where there is no notebook of this kit.
    """
    found = _newest(folder)
    if not found:
        raise CourseError(f"{folder}: there is no notebook of this kit here or in the folders below; name the folder that you work in: "
                          "autograder progress FOLDER")
    boxes: list[Box] = []
    try:
        standings = []
        for name in assignments():
            paths = [path for path, _ in found.get(name, [])]
            result = _known(name, *found[name][0], boxes, checking) if paths else None
            standings.append(Standing(name, *([paths[0], result, paths[1:]] if paths else [])))
        return standings
    finally:
        for box in boxes:
            box.close()


def _newest(folder: Path) -> dict[str, list[tuple[Path, Found]]]:
    """The notebooks of each assignment: those of the name that is to be handed in first, of several the one saved last."""
    from autograder.checkfile import assignment_of, read_found
    found: dict[str, list[tuple[Path, Found]]] = {}
    for path in sorted(notebooks(folder), key=lambda path: path.stat().st_mtime, reverse=True):
        with contextlib.suppress(CourseError):  # no notebook of this kit
            read = read_found(path)
            found.setdefault(assignment_of(path, read), []).append((path, read))
    return {name: sorted(ones, key=lambda one: one[0].name != f"{name}.ipynb") for name, ones in found.items()}


def notebooks(folder: Path, depth: int = DEPTH) -> list[Path]:
    """The notebooks in a folder and those below it, hidden folders and what a course builds or grades left out."""
    built = BUILT if (folder / "course.yaml").is_file() else ()
    found = []
    with contextlib.suppress(PermissionError):
        for entry in sorted(folder.iterdir()):
            if entry.name.startswith((".", "_")) or entry.is_symlink():
                continue
            if entry.is_dir() and depth and entry.name not in built:
                found += notebooks(entry, depth - 1)
            elif entry.suffix.lower() == ".ipynb" and entry.is_file():
                found.append(entry)
    return found


def _known(name: str, path: Path, found: Found, boxes: list[Box], checking: Callable[[Path], None]) -> SubmissionResult:
    """The result of the public checks on a notebook, as remembered or found now."""
    from autograder.box import start_box
    from autograder.grader import DESK, make_desk_grader
    from autograder.notebook import Submission
    from autograder.results import SubmissionResult
    kept = _cache(name, path.read_bytes())
    with contextlib.suppress(OSError, ValueError):
        return SubmissionResult.model_validate_json(kept.read_bytes())
    checking(path)
    if not boxes:
        boxes.append(start_box(DESK.limits))
    result = make_desk_grader(name, found.submission or Submission([]), box=boxes[0]).grade(path.stem, found).result
    with contextlib.suppress(OSError):  # a full or read-only disk: checked again next time
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = kept.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(result.model_dump_json(by_alias=True), encoding="utf-8")
        temporary.replace(kept)
        for old in sorted(kept.parent.glob("*.json"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
    return result


def _cache(name: str, data: bytes) -> Path:
    from autograder.deckfile import version_of
    digest = hashlib.sha256(version_of(Path("no course"), name, 0).encode() + data).hexdigest()[:32]
    return user_cache_path("autograder", appauthor=False) / "progress" / f"{digest}.json"
