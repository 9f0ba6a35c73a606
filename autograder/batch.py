"""Grading a class: a pool of processes or a cluster grades it; one process writes what they find."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator

from autograder import pool
from autograder.batchlog import add_to_log
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


@dataclass(frozen=True)
class Step:
    """One submission has its result. `known`: it stands as it was graded before; `before`: the result that it replaces, where there is one,
    and `anew`: that was of another notebook."""

    result: SubmissionResult
    known: bool
    seconds: dict[str, float] = field(default_factory=dict)
    before: SubmissionResult | None = None
    anew: bool = False


@dataclass
class _Batch:
    """What a run of `grade_class` works with."""

    grader: Grader | Fleet
    root: Path
    handed: list[Handed]
    progress: Callable[[Step], None]
    ledger: Callable[[str], Ledger]
    results: dict[str, SubmissionResult] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    before: dict[str, SubmissionResult] = field(default_factory=dict)
    anew: set[str] = field(default_factory=set)

    def done(self, written: Written, *, known: bool) -> None:
        """These are in the gradebook."""
        for submission, result in written:
            self.results[submission.student] = result
            outcome = self.outcomes.pop(submission.student, None)
            self.progress(Step(result, known, outcome.seconds if outcome else {}, self.before.get(submission.student), submission.student in self.anew))

    @property
    def left(self) -> list[Handed]:
        """What has no result yet."""
        return [one for one in self.handed if one.student not in self.results]


def grade_class(grader: Grader | Fleet, root: Path, handed: list[Handed], *, workers: int, force: bool = False, changed_checks: bool = False,
                progress: Callable[[Step], None] = lambda step: None) -> Results:
    """Grade every submission, write gradebook and autograded notebooks, and return the results by student.

    A grader grades here, on `workers` processes, a fleet on those of its cluster. What the ledger knows and the gradebook holds is not
    graded again, unless `force` asks for it; with `changed_checks` a grader leaves exercises alone that an edit did not touch (a fleet
    grades such submissions whole). The results do not depend on `workers` or on the order in which submissions finish.
    """
    course, assignment = grader.course, grader.blueprint.assignment
    batch = _Batch(grader, root, handed, progress, lru_cache(lambda sentence: open_ledger(root, course, assignment, level=sentence)))
    with open_gradebook(course) as gradebook:
        if not up_to_date(gradebook, grader.blueprint, course):
            ensure_assignment(gradebook, grader.blueprint, course)
        writer = Writer(root, gradebook, batch.ledger, grader.blueprint)
        if not force:
            _take_known(batch, writer, gradebook)
        prints = {one.student: fingerprint(one) for one in batch.left}
        _look_back(batch, prints, standing=changed_checks and not force)
        with contextlib.closing(_outcomes(grader, batch.left, workers)) as outcomes:
            for submission, outcome in outcomes:
                batch.outcomes[submission.student] = outcome
                add_to_log(root, submission, prints[submission.student], outcome)
                batch.done(writer.graded(submission, prints[submission.student], outcome), known=False)
        batch.done(writer.finish(), known=False)
    ledgers = [batch.ledger(sentence) for sentence in grader.sentences]
    marks = _marks(root, course, assignment, ledgers, {one.student: prints.get(one.student) or fingerprint(one) for one in handed})
    return Results(assignment=assignment, isolation=grader.box.level, missing=grader.box.missing, canaries=grader.box.canaries, marks=marks,
                   submissions=[batch.results[one.student] for one in handed])


def _take_known(batch: _Batch, writer: Writer, gradebook: Any) -> None:
    """What was graded before by the same kit stands; what the gradebook did not take then is written now."""
    for sentence in batch.grader.sentences:
        ledger = batch.ledger(sentence)
        kept = writer.with_lateness(_kept(batch.root, ledger, gradebook, batch.handed), sentence)
        batch.done([(one, kept[one.student]) for one in batch.handed if one.student in kept], known=True)
        for one in batch.left:
            if (result := _pending(batch.root, ledger, one)) is not None:
                batch.done(writer.again(one, result, sentence), known=True)
    batch.done(writer.finish(), known=True)


def _look_back(batch: _Batch, prints: dict[str, str], *, standing: bool) -> None:
    """Read what the submissions that are to be graded had before; with `standing`, exercises which no edit touched keep their results."""
    ledgers = [batch.ledger(sentence) for sentence in batch.grader.sentences]
    for one in batch.left:
        entry = ledgers[0].entry(one)
        if entry is not None:
            batch.before[one.student] = entry.result
            if entry.submission != prints[one.student]:
                batch.anew.add(one.student)
        if standing and isinstance(batch.grader, Grader):
            batch.grader.standing[one.student] = ledgers[0].standing(one)


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


