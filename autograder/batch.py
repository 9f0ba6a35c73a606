"""Grading a class: a pool of processes or a cluster grades it; one process writes what they find."""

from __future__ import annotations

import contextlib
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator

from autograder import pool
from autograder.course import Course
from autograder.deckfile import version_of
from autograder.gradebook import ensure_assignment, open_gradebook, student_key, students_with_grades, up_to_date
from autograder.grader import Grader, Outcome
from autograder.ledger import Ledger, fingerprint, open_ledger
from autograder.results import Marks, Results, SubmissionResult
from autograder.submissions import Handed
from autograder.writer import Writer, Written, autograded_path

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

    def done(written: Written, known: bool) -> None:
        for submission, result in written:
            results[submission.student] = result
            progress(result, known)

    with open_gradebook(course) as gradebook:
        if not up_to_date(gradebook, blueprint, course):
            ensure_assignment(gradebook, blueprint, course)
        writer = Writer(root, gradebook, ledger, blueprint)
        for sentence in () if force else grader.sentences:
            kept = writer.with_lateness(_kept(root, ledger(sentence), gradebook, handed), sentence)
            done([(h, kept[h.student]) for h in handed if h.student in kept], True)
            for submission in handed:
                if submission.student not in results and (result := _pending(root, ledger(sentence), submission)) is not None:
                    done(writer.again(submission, result, sentence), True)
        done(writer.finish(), True)
        left = [h for h in handed if h.student not in results]
        prints = {h.student: fingerprint(h) for h in left}
        with contextlib.closing(_outcomes(grader, left, workers)) as outcomes:
            for submission, outcome in outcomes:
                done(writer.graded(submission, prints[submission.student], outcome), False)
        done(writer.finish(), False)
    return Results(assignment=blueprint.assignment, isolation=grader.box.level, missing=grader.box.missing, canaries=grader.box.canaries,
                   marks=_marks(root, course, blueprint.assignment, [ledger(sentence) for sentence in grader.sentences],
                                {h.student: prints.get(h.student) or fingerprint(h) for h in handed}),
                   submissions=[results[h.student] for h in handed])


def _marks(root: Path, course: Course, assignment: str, ledgers: list[Ledger], submissions: dict[str, str]) -> Marks:
    kit, seeded = (version_of(root, assignment, seed) for seed in (0, course.seed))
    return Marks(kit=kit, seeded=seeded, all="+".join(sorted(ledger.version for ledger in ledgers)), submissions=submissions)


def _kept(root: Path, ledger: Ledger, gradebook: Any, handed: list[Handed]) -> dict[str, SubmissionResult]:
    """The results that stand: known to the ledger, in the gradebook, and with their notebook in place."""
    stored = students_with_grades(gradebook, handed[0].assignment) if handed else set()
    there = [h for h in handed if student_key(h.student) in stored and autograded_path(root, h).is_file()]
    return {h.student: result for h in there if (result := ledger.known(h)) is not None}


def _pending(root: Path, ledger: Ledger, submission: Handed) -> SubmissionResult | None:
    """The result of what was graded while the gradebook did not answer."""
    return ledger.pending(submission) if autograded_path(root, submission).is_file() else None


def _outcomes(grader: Grader | Fleet, handed: list[Handed], workers: int) -> Iterator[tuple[Handed, Outcome]]:
    return pool.outcomes(grader, handed, workers=workers) if isinstance(grader, Grader) else grader.outcomes(handed)


def default_workers() -> int:
    """One worker for each core this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


