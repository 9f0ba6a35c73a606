"""Grading a class: a pool of processes or a cluster grades it; one process writes what they find."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator

from autograder import pool
from autograder.gradebook import ensure_assignment, open_gradebook, record, student_key, up_to_date
from autograder.grader import Grader, Outcome
from autograder.ledger import Ledger, fingerprint, open_ledger
from autograder.results import Results, SubmissionResult
from autograder.submissions import Handed, timestamp_of
from autograder.verdict import GRADER_FAULT

if TYPE_CHECKING:  # Dask is imported only where it is used
    from autograder.cluster import Fleet


def grade_class(grader: Grader | Fleet, root: Path, handed: list[Handed], *, workers: int, force: bool = False,
                progress: Callable[[SubmissionResult, bool], None] = lambda result, known: None) -> Results:
    """Grade every submission, write gradebook and autograded notebooks, and return the results by student.

    A grader grades here, on `workers` processes, a fleet on those of its cluster. What the ledger knows and the gradebook holds is not
    graded again, unless `force` asks for it. `progress` is told each result and whether it was known. The results do not depend on
    `workers` or on the order in which submissions finish.
    """
    results: dict[str, SubmissionResult] = {}
    course, blueprint = grader.course, grader.blueprint
    ledger = lru_cache(lambda sentence: open_ledger(root, course, blueprint.assignment, level=sentence))
    with open_gradebook(course) as gradebook:
        if not up_to_date(gradebook, blueprint, course):
            ensure_assignment(gradebook, blueprint, course)
        kept = {} if force else _kept(root, [ledger(sentence) for sentence in grader.sentences], gradebook, handed)
        for result in kept.values():
            progress(result, True)
        left = [h for h in handed if h.student not in kept]
        prints = {h.student: fingerprint(h) for h in left}
        with contextlib.closing(_outcomes(grader, left, workers)) as outcomes:
            for submission, outcome in outcomes:
                ledger(outcome.isolation).forget(submission)  # killed between here and the new entry, it is graded again
                record(gradebook, blueprint, outcome.result, timestamp_of(submission), isolation=outcome.isolation)
                write_autograded(root, submission, outcome.notebook)
                if outcome.result.outcome != GRADER_FAULT:  # tried again next time
                    ledger(outcome.isolation).write(submission, prints[submission.student], outcome.result)
                results[submission.student] = outcome.result
                progress(outcome.result, False)
    results |= kept
    return Results(assignment=blueprint.assignment, isolation=grader.box.level, missing=grader.box.missing, canaries=grader.box.canaries,
                   submissions=[results[h.student] for h in handed])


def _kept(root: Path, ledgers: list[Ledger], gradebook: Any, handed: list[Handed]) -> dict[str, SubmissionResult]:
    """The results that stand: known to the ledger, in the gradebook, and with their notebook in place."""
    stored = {submission.student_id for submission in gradebook.assignment_submissions(handed[0].assignment)} if handed else set()
    there = [h for h in handed if student_key(h.student) in stored and autograded_path(root, h).is_file()]
    return {h.student: result for h in there for ledger in ledgers if (result := ledger.known(h)) is not None}


def _outcomes(grader: Grader | Fleet, handed: list[Handed], workers: int) -> Iterator[tuple[Handed, Outcome]]:
    return pool.outcomes(grader, handed, workers=workers) if isinstance(grader, Grader) else grader.outcomes(handed)


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


def default_workers() -> int:
    """One worker for each core this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


