"""What the terminal shows: the progress of a batch, one row a student, and one notebook's failures in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.batch import grade_class
from autograder.collect import Collected
from autograder.course import Course
from autograder.grader import Grader, make_grader
from autograder.panel import as_text
from autograder.results import Results, SubmissionResult
from autograder.submissions import Handed

if TYPE_CHECKING:  # Dask is imported only where it is used
    from autograder.cluster import Fleet

STYLES = {"correct": "green", "wrong": "yellow", "raised": "yellow", "limit": "yellow", "not_attempted": "dim",
          "unreadable": "red", "grader_fault": "bold red"}


def grade_with_progress(console: Console, root: Path, course: Course, handed: list[Handed], *, workers: int, least: str | None,
                        feedback: bool, force: bool, scheduler: str | None = None) -> Results:
    """Grade a class with a progress bar and show one row a student at the end.

    Raises `KeyboardInterrupt` when it is interrupted, after saying what is done and what is left.
    """
    grader = _grader(course, root, handed[0].assignment, scheduler, least=least)
    known: dict[str, bool] = {}
    try:
        console.print(escape(grader.told))
        with _progress(console) as bar:
            task = bar.add_task("grading", total=len(handed))

            def graded(result: SubmissionResult, before: bool) -> None:
                known[result.student] = before
                bar.advance(task)
            results = grade_class(grader, root, handed, workers=workers, force=force, progress=graded)
            if feedback:
                from autograder.feedback import stale_pages, write_feedback
                pages = stale_pages(root, course, handed, fresh={student for student, before in known.items() if not before})
                task = bar.add_task("feedback", total=len(pages))
                write_feedback(root, course, pages, progress=lambda: bar.advance(task))
    except KeyboardInterrupt:
        console.print(f"interrupted: {len(known)} of {len(handed)} submissions are graded and kept; the same command goes on with the other {len(handed) - len(known)}")
        raise
    finally:
        grader.close()
    show_class(console, results)
    if before := sum(known.values()):
        console.print(f"{before} as they were graded before, {len(known) - before} graded now (--force grades all anew)")
    if grader.box.cpu_seconds:
        console.print(f"student code took {grader.box.cpu_seconds:.1f} CPU seconds in its own processes", style="dim")
    return results


def _grader(course: Course, root: Path, assignment: str, scheduler: str | None, *, least: str | None) -> Grader | Fleet:
    """What grades: a grader on this machine, or the workers of a scheduler."""
    if scheduler is None:
        return make_grader(course, root, assignment, least=least)
    from autograder.cluster import connect
    return connect(course, root, assignment, scheduler, least=least)


def examine_with_progress(console: Console, root: Path, course: Course, names: list[str], *, only: list[str], seeds: int,
                          workers: int | None, page: Path | None) -> list[str]:
    """Let the doctor examine assignments, show what the checks catch, write the page where one is asked for; returns the findings."""
    from autograder.batch import default_workers
    from autograder.doctor import examine_assignments, show_soundness, steps
    with _progress(console) as bar:
        task = bar.add_task("examining", total=steps(root, names, only))
        sound, found = examine_assignments(root, course, names, only=only, seeds=seeds, workers=workers or default_workers(),
                                           progress=lambda: bar.advance(task))
    show_soundness(console, sound)
    if page is not None:
        from autograder.doctorpage import page_text
        page.write_text(page_text(sound, found), encoding="utf-8")
        console.print(f"wrote {escape(str(page))}")
    return found


def _progress(console: Console) -> Progress:
    return Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"),
                    TimeRemainingColumn(), console=console, disable=not console.is_terminal)


def show_class(console: Console, results: Results) -> None:
    """One row a student."""
    table = Table(title=f"{results.assignment}: {len(results.submissions)} submissions", title_justify="left")
    for name, options in (("student", {"no_wrap": True}), ("score", {"justify": "right", "no_wrap": True}), ("outcome", {"no_wrap": True}),
                          ("reason", {"overflow": "fold"})):
        table.add_column(name, **options)
    for one in results.submissions:
        table.add_row(Text(_safe(one.student)), f"{one.score:g}/{one.max_score:g}", Text(one.outcome.replace("_", " "), STYLES[one.outcome]),
                      Text(_safe(one.reason + (f"; {one.late.reason}" if one.late else ""))))
    console.print(table, soft_wrap=False)


def show_submission(console: Console, results: Results) -> None:
    """One notebook: a table of its exercises, then every failure in full."""
    one = results.submissions[0]
    table = Table(title=f"{_safe(one.notebook)} ({results.assignment}, isolation level {results.isolation})", title_justify="left")
    for name, justify in (("exercise", "left"), ("score", "right"), ("outcome", "left"), ("behaves like", "left")):
        table.add_column(name, justify=justify, no_wrap=name == "exercise")
    for exercise in one.exercises:
        table.add_row(exercise.name, f"{exercise.score:g}/{exercise.max_score:g}",
                      Text(exercise.outcome.replace("_", " "), STYLES[exercise.outcome]), exercise.behaves_like or "")
    table.add_row("total", f"{one.score:g}/{one.max_score:g}", "", "", style="bold")
    console.print(table, soft_wrap=False)
    for line in _notes(one):
        console.print(Text(line))
    for exercise in one.exercises:
        if exercise.outcome not in ("correct", "unreadable") or exercise.remarks:
            console.print(Text("\n" + _safe(as_text(exercise))))


def _notes(one: SubmissionResult) -> list[str]:
    lines = [f"reason: {_safe(one.reason)}"] + [f"note: {_safe(remark)}" for remark in one.remarks]
    missing = sum(exercise.hidden_checks_not_run for exercise in one.exercises)
    if missing:
        lines.append(f"{missing} hidden checks were not run here: grading runs them, and the points above leave them out.")
    return lines


def _safe(text: str) -> str:
    """`text` without control and direction-changing characters, which could rewrite the terminal's lines."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\u{ord(c):04x}" for c in text)


def show_collected(console: Console, collected: Collected, assignment: str, *, dry_run: bool) -> None:
    """A table of what an intake took, and every refusal with its reason."""
    table = Table("student", "notebook taken", "handed in", "older attempts kept")
    for student, attempt in sorted(collected.taken.items()):
        when = attempt.when.strftime("%Y-%m-%d %H:%M UTC") if attempt.when else "unknown"
        table.add_row(escape(student), escape(str(attempt.item.path)), when, str(len(collected.older[student])))
    console.print(table)
    for refused in collected.refused:
        console.print(f"[bold yellow]refused[/] {escape(str(refused.path))}: {escape(refused.reason)}")
    done = "would be taken" if dry_run else "taken"
    console.print(f"{len(collected.taken)} {done}, {len(collected.unchanged)} as before, {len(collected.refused)} refused. "
                  f"Everything that came is {'to be ' if dry_run else ''}kept under collected/{assignment}.")
