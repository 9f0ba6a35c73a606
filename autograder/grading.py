"""Grading a class from the command line: the progress while it runs, one row a student at the end, and who changed."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from autograder.batch import Step, grade_class
from autograder.course import Course
from autograder.grader import Grader, make_grader
from autograder.progress import Mode, Tally, bar, finished_line, graded_line, write_line
from autograder.regrade import Change, change, show_changes
from autograder.report import show_class
from autograder.results import Results
from autograder.submissions import Handed

if TYPE_CHECKING:  # Dask is imported only where it is used
    from autograder.cluster import Fleet


@dataclass(frozen=True)
class Wanted:
    """What was asked for on the command line; `least` is the isolation level that is accepted, None for the course's."""

    workers: int
    least: str | None = None
    feedback: bool = True
    force: bool = False
    changed_checks: bool = False
    scheduler: str | None = None
    mode: Mode = Mode.BAR


@dataclass
class _Watch:
    """What was seen of a batch: the tally, the students that were graded just now, and whose result changed."""

    tally: Tally
    mode: Mode
    fresh: set[str] = field(default_factory=set)
    changes: list[Change] = field(default_factory=list)
    redraw: Callable[[], None] = lambda: None

    def step(self, step: Step) -> None:
        """One more result."""
        self.tally.add(step.result, step.known, step.seconds)
        if not step.known:
            self.fresh.add(step.result.student)
        if step.before is not None and not step.known and (changed := change(step.before, step.result, anew=step.anew)):
            self.changes.append(changed)
        self.redraw()
        if self.mode is Mode.LINES:
            write_line(sys.stdout, graded_line(self.tally, step.result, step.known, step.seconds))


def grade_and_show(console: Console, root: Path, course: Course, handed: list[Handed], wanted: Wanted) -> Results:
    """Grade a class and show what `wanted.mode` asks for.

    Raises `KeyboardInterrupt` when it is interrupted, after saying what is done and what is left.
    """
    grader = _grader(course, root, handed[0].assignment, wanted)
    watch = _Watch(Tally(len(handed)), wanted.mode)
    interrupted = True
    try:
        if wanted.mode is Mode.BAR:
            console.print(escape(grader.told))
        with bar(console, watch.tally, shown=wanted.mode is Mode.BAR) as (watch.redraw, drawn):
            results = grade_class(grader, root, handed, workers=wanted.workers, force=wanted.force, changed_checks=wanted.changed_checks,
                                  progress=watch.step)
            if wanted.feedback:
                _write_pages(root, course, handed, watch.fresh, drawn, wanted.workers)
        interrupted = False
    except KeyboardInterrupt:
        if wanted.mode is not Mode.LINES:
            tally = watch.tally
            console.print(f"interrupted: {tally.done} of {tally.total} submissions are graded and kept; the same command goes on with the other {tally.left}")
        raise
    finally:
        grader.close()
        if wanted.mode is Mode.LINES:
            write_line(sys.stdout, finished_line(watch.tally, interrupted=interrupted, apart=grader.box.cpu_seconds))
    if wanted.mode is Mode.BAR:
        _show(console, results, watch, grader, wanted)
    return results


def _write_pages(root: Path, course: Course, handed: list[Handed], fresh: set[str], drawn: Progress, workers: int) -> None:
    from autograder.feedback import stale_pages, write_feedback
    pages = stale_pages(root, course, handed, fresh=fresh)
    task = drawn.add_task("feedback", total=len(pages), told="pages")
    write_feedback(root, course, pages, progress=lambda: drawn.advance(task), workers=workers)


def _show(console: Console, results: Results, watch: _Watch, grader: Grader | Fleet, wanted: Wanted) -> None:
    show_class(console, results)
    if watch.changes or wanted.changed_checks:
        show_changes(console, watch.changes, watch.tally.graded)
    if watch.tally.known:
        console.print(f"{watch.tally.known} as they were graded before, {watch.tally.graded} graded now (--force grades all anew)")
    if watch.tally.slowest:
        name, seconds = watch.tally.slowest
        console.print(f"slowest exercise: {name}, {seconds:.2f} s a submission; logs in .autograder/logs/{results.assignment}", style="dim")
    if grader.box.cpu_seconds:
        console.print(f"student code took {grader.box.cpu_seconds:.1f} CPU seconds in its own processes", style="dim")


def _grader(course: Course, root: Path, assignment: str, wanted: Wanted) -> Grader | Fleet:
    """What grades: a grader on this machine, or the workers of a scheduler."""
    if wanted.scheduler is None:
        return make_grader(course, root, assignment, least=wanted.least)
    from autograder.cluster import connect
    return connect(course, root, assignment, wanted.scheduler, least=wanted.least)
