"""The writer: one process puts what was graded on disk at once, and into the gradebook as soon as that answers.

While a database is locked or away, grading goes on and results wait as pending entries of the ledger; when it has been away for too long
the run ends, and the next one writes their rows without grading them again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Callable

from autograder.blueprint import Blueprint
from autograder.database import Away, Patience
from autograder.gradebook import Gradebook
from autograder.grader import Outcome
from autograder.ledger import Ledger
from autograder.results import SubmissionResult
from autograder.rows import refresh, store, student_key
from autograder.submissions import Handed, timestamp_of
from autograder.verdict import GRADER_FAULT

Written = list[tuple[Handed, SubmissionResult]]


@dataclass
class Writer:
    """Writes the results of one assignment, each into the ledger for the way in which it was kept apart (`isolation`).

    Its functions return those whose rows are in the gradebook by now, with what lateness costs.
    """

    root: Path
    gradebook: Gradebook
    ledger: Callable[[str], Ledger]
    blueprint: Blueprint
    left: list[tuple[Handed, SubmissionResult, str]] = field(default_factory=list)
    tried: float = 0.0

    def __post_init__(self) -> None:
        self.patience = Patience(self.gradebook.course.db_url, self.gradebook.course.gradebook_wait_seconds)

    def graded(self, handed: Handed, fingerprint: str, outcome: Outcome) -> Written:
        """Take what was just graded; `fingerprint` was taken before."""
        write_autograded(self.root, handed, outcome.notebook)
        ledger = self.ledger(outcome.isolation)
        if outcome.result.outcome == GRADER_FAULT:  # tried again next time
            ledger.forget(handed)
        else:
            ledger.write(handed, fingerprint, outcome.result)
        return self.again(handed, outcome.result, outcome.isolation)

    def again(self, handed: Handed, result: SubmissionResult, isolation: str) -> Written:
        """Take what is on disk already, but perhaps not in the gradebook."""
        self.left.append((handed, result, isolation))
        lately = self.patience.since is not None and time.monotonic() - self.tried < 1
        return [] if lately else self._write()  # while it is away, what comes in is put on disk without delay

    def finish(self) -> Written:
        """Wait until everything is in the gradebook. Raises `CourseError` where that takes too long."""
        written = self._write()
        while self.left:
            time.sleep(0.2)
            written += self._write()
        return written

    def _write(self) -> Written:
        written: Written = []
        while self.left:
            handed, result, isolation = self.left[0]
            try:
                late = self.gradebook.do_now(partial(store, self.gradebook.course, self.blueprint, result, timestamp_of(handed),
                                                     isolation=isolation))
            except Away as away:
                self.patience.tell(away)
                self.tried = time.monotonic()
                break
            self.patience.over()
            self.left.pop(0)
            if result.outcome != GRADER_FAULT:
                self.ledger(isolation).settle(handed)
            written.append((handed, result.model_copy(update={"late": late})))
        return written

    def with_lateness(self, kept: dict[str, SubmissionResult], isolation: str) -> dict[str, SubmissionResult]:
        """Results by student that were in the gradebook before, with what lateness costs by now; where that changed, the page is removed."""
        by_key = {student_key(student): result for student, result in kept.items()}
        late, changed = self.gradebook.do(partial(refresh, self.gradebook.course, self.blueprint, by_key, isolation=isolation))
        name = self.blueprint.assignment
        for student in kept:
            if student_key(student) in changed:
                (self.root / "feedback" / student / name / f"{name}.html").unlink(missing_ok=True)
        return {student: result.model_copy(update={"late": late.get(student_key(student))}) for student, result in kept.items()}


def autograded_path(root: Path, handed: Handed) -> Path:
    """Where a student's autograded notebook lies."""
    return root / "autograded" / handed.student / handed.assignment / f"{handed.assignment}.ipynb"


def write_autograded(root: Path, handed: Handed, text: str) -> Path:
    """Write ``autograded/<student>/<assignment>/<assignment>.ipynb`` (read-only, as nbgrader does) and the time stamp beside it."""
    path = autograded_path(root, handed)
    folder = path.parent
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{handed.assignment}.{os.getpid()}.tmp"
    temporary.write_text(text, encoding="utf-8")
    temporary.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    temporary.replace(path)
    stamp = handed.folder / "timestamp.txt"
    if stamp.is_file() and not stamp.is_symlink():
        with contextlib.suppress(OSError):
            (folder / "timestamp.txt").unlink(missing_ok=True)
            shutil.copyfile(stamp, folder / "timestamp.txt")
    return path
