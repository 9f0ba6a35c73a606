"""Grading a class: several processes share one deck and one box; one process writes what they find."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import shutil
import signal
import stat
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Callable, Iterator

from autograder.deckfile import version_of
from autograder.gradebook import ensure_assignment, open_gradebook, record, student_key, up_to_date
from autograder.grader import Grader, Outcome
from autograder.launch import elsewhere
from autograder.ledger import Ledger, fingerprint, open_ledger
from autograder.results import Marks, Results, SubmissionResult
from autograder.submissions import Found, Handed, find_notebook, timestamp_of
from autograder.verdict import GRADER_FAULT

_grader: Grader | None = None


def grade_class(grader: Grader, root: Path, handed: list[Handed], *, workers: int, force: bool = False,
                progress: Callable[[SubmissionResult, bool], None] = lambda result, known: None) -> Results:
    """Grade every submission, write gradebook and autograded notebooks, and return the results by student.

    What the ledger knows and the gradebook holds is not graded again, unless `force` asks for it. `progress` is told each result and
    whether it was known. The results do not depend on `workers` or on the order in which submissions finish.
    """
    results: dict[str, SubmissionResult] = {}
    course, blueprint = grader.course, grader.blueprint
    ledger = open_ledger(root, course, blueprint.assignment, level=grader.box.sentence)
    with open_gradebook(course) as gradebook:
        if not up_to_date(gradebook, blueprint, course):
            ensure_assignment(gradebook, blueprint, course)
        kept = {} if force else _kept(root, ledger, gradebook, handed)
        for result in kept.values():
            progress(result, True)
        left = [h for h in handed if h.student not in kept]
        prints = {h.student: fingerprint(h) for h in left}
        with contextlib.closing(_outcomes(grader, left, workers)) as outcomes:
            for submission, outcome in outcomes:
                record(gradebook, blueprint, outcome.result, timestamp_of(submission), isolation=grader.box.sentence)
                write_autograded(root, submission, outcome.notebook)
                if outcome.result.outcome != GRADER_FAULT:  # tried again next time
                    ledger.write(submission, prints[submission.student], outcome.result)
                results[submission.student] = outcome.result
                progress(outcome.result, False)
    results |= kept
    return Results(assignment=blueprint.assignment, isolation=grader.box.level, missing=grader.box.missing, canaries=grader.box.canaries,
                   marks=_marks(root, grader, ledger, {h.student: prints.get(h.student) or fingerprint(h) for h in handed}),
                   submissions=[results[h.student] for h in handed])


def _marks(root: Path, grader: Grader, ledger: Ledger, submissions: dict[str, str]) -> Marks:
    kit, seeded = (version_of(root, grader.blueprint.assignment, seed) for seed in (0, grader.course.seed))
    return Marks(kit=kit, seeded=seeded, all=ledger.version, submissions=submissions)


def _kept(root: Path, ledger: Ledger, gradebook: Any, handed: list[Handed]) -> dict[str, SubmissionResult]:
    """The results that stand: known to the ledger, in the gradebook, and with their notebook in place."""
    stored = {submission.student_id for submission in gradebook.assignment_submissions(handed[0].assignment)} if handed else set()
    there = [h for h in handed if student_key(h.student) in stored and autograded_path(root, h).is_file()]
    return {h.student: result for h in there if (result := ledger.known(h)) is not None}


def _outcomes(grader: Grader, handed: list[Handed], workers: int) -> Iterator[tuple[Handed, Outcome]]:
    """Outcomes as they finish. A process that dies is replaced; a submission that kills two is set aside with a reason."""
    global _grader
    _grader = grader
    if elsewhere():  # no process is forked there
        yield from ((one, _grade_one(one)) for one in handed)
        return
    gc.collect()
    gc.freeze()
    left, struck = list(handed), {}
    while left:
        finished: set[str] = set()
        alone = bool(struck)  # after a death, one at a time, so that it is known which one it was
        with _pool(1 if alone else min(workers, len(left))) as pool:
            futures: dict[Future, Handed] = {pool.submit(_grade_one, h): h for h in (left[:1] if alone else left)}
            try:
                for future in as_completed(futures):
                    outcome = future.result()
                    finished.add(futures[future].student)
                    yield futures[future], outcome
            except BrokenProcessPool:
                first = next(h for h in left if h.student not in finished)
                struck[first.student] = struck.get(first.student, 0) + 1
                if alone and struck[first.student] >= 2:
                    finished.add(first.student)
                    yield first, _set_aside(grader, first)
        left = [h for h in left if h.student not in finished]


@contextlib.contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork"), initializer=_leave_interrupts_to_the_parent)
    try:
        yield pool
    except (KeyboardInterrupt, GeneratorExit):
        for process in list((pool._processes or {}).values()):  # there is no public way to end what is being done
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _grade_one(handed: Handed) -> Outcome:
    return _grader.grade(handed.student, find_notebook(handed))


def _set_aside(grader: Grader, handed: Handed) -> Outcome:
    fault = Found(None, None, "the grader's own process ended twice while it graded this notebook; this is the grader's fault")
    outcome = grader.grade(handed.student, fault)
    exercises = [e.model_copy(update={"outcome": "grader_fault", "checks": [c.model_copy(update={"outcome": "grader_fault", "message": fault.reason})
                                                                            for c in e.checks]}) for e in outcome.result.exercises]
    return Outcome(outcome.result.model_copy(update={"outcome": "grader_fault", "exercises": exercises}), outcome.notebook)


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


