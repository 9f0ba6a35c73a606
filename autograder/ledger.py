"""The ledger: which submissions are graded already, so that a run that was stopped goes on and a second one is quick.

One small file a submission under ``.autograder/graded/``. It is written when the notebook is in place, as pending, and settled when the grades
are in the gradebook: a run that is killed at any moment loses at most the submission in hand, and where the gradebook never answered, the next
run writes the rows without grading again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from pydantic import BaseModel, ValidationError

from autograder.course import Course
from autograder.deckfile import version_of
from autograder.results import SubmissionResult
from autograder.submissions import Handed

LARGEST = 1 << 30  # a larger file is known by its size and time


class Entry(BaseModel):
    """A graded submission: what it was graded from and with, and the result."""

    submission: str
    version: str
    result: SubmissionResult


@dataclass(frozen=True)
class Ledger:
    """The entries of one assignment. `version` stands for all that a grade depends on but the submission."""

    folder: Path
    version: str

    def known(self, handed: Handed) -> SubmissionResult | None:
        """The result of a submission that was graded from these very bytes by this very kit and is in the gradebook, or None."""
        return None if self._pending(handed).exists() else self._fitting(handed, self._path(handed))

    def pending(self, handed: Handed) -> SubmissionResult | None:
        """The result of a submission that was graded but whose rows may not be in the gradebook, or None."""
        return self._fitting(handed, self._pending(handed))

    def _fitting(self, handed: Handed, path: Path) -> SubmissionResult | None:
        entry = _read(path)
        same = entry is not None and (entry.submission, entry.version) == (fingerprint(handed), self.version)
        return entry.result if same else None

    def entry(self, handed: Handed) -> Entry | None:
        """What is written about a student, by whatever version; None where there is nothing readable."""
        return _read(self._path(handed))

    def write(self, handed: Handed, submission: str, result: SubmissionResult) -> None:
        """Note a result as pending. `submission` is the fingerprint that was taken before it was graded."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = self._path(handed).with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(Entry(submission=submission, version=self.version, result=result).model_dump_json(by_alias=True), encoding="utf-8")
        temporary.replace(self._pending(handed))

    def settle(self, handed: Handed) -> None:
        """Its rows are in the gradebook: what was pending stands."""
        with contextlib.suppress(FileNotFoundError):  # another run, of the same submission, was first
            self._pending(handed).replace(self._path(handed))

    def _pending(self, handed: Handed) -> Path:
        return self._path(handed).with_suffix(".pending")

    def forget(self, handed: Handed) -> None:
        """What was noted no longer holds: other grades are about to be written, which are not to stand."""
        for path in (self._path(handed), self._pending(handed)):
            path.unlink(missing_ok=True)

    def _path(self, handed: Handed) -> Path:
        return self.folder / f"{hashlib.sha256(os.fsencode(handed.student)).hexdigest()[:32]}.json"


def _read(path: Path) -> Entry | None:
    try:
        return Entry.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def open_ledger(root: Path, course: Course, assignment: str, *, level: str) -> Ledger:
    """The ledger of an assignment, for grades given by this kit, course and isolation level."""
    release = root / "release" / assignment / f"{assignment}.ipynb"
    digest = hashlib.sha256(repr((version_of(root, assignment, course.seed), level, course.limits.model_dump_json())).encode())
    digest.update(release.read_bytes())
    return Ledger(root / ".autograder" / "graded" / assignment, digest.hexdigest()[:32])


def fingerprint(handed: Handed) -> str:
    """Changes with every byte of a student's notebooks and time stamp, and with the names of what lies beside them."""
    digest = hashlib.sha256()
    for path, told in _files(handed.folder, 3):
        digest.update(os.fsencode(path.relative_to(handed.folder)) + b"\0" + told.encode())
        try:
            regular = stat.S_ISREG(path.lstat().st_mode) and path.stat().st_size <= LARGEST
            if regular and (path.suffix.lower() == ".ipynb" or path.name == "timestamp.txt"):
                with open(path, "rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            digest.update(f"unreadable {error.errno}".encode())
    return digest.hexdigest()[:32]


def _files(folder: Path, depth: int) -> Iterator[tuple[Path, str]]:
    """What lies in a folder and in those below it, with what tells it apart."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        yield folder, f"unreadable {error.errno}"
        return
    for entry in entries:
        try:
            state = entry.lstat()
        except OSError:
            continue
        yield entry, f"{stat.S_IFMT(state.st_mode)} {state.st_mode & 0o777} {state.st_size if stat.S_ISREG(state.st_mode) else 0}" + (
            f" {state.st_mtime_ns}" if stat.S_ISREG(state.st_mode) and state.st_size > LARGEST else "")
        if depth and stat.S_ISDIR(state.st_mode):
            yield from _files(entry, depth - 1)
