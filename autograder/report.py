"""What the terminal shows: the progress of a batch, one row a student, and one notebook's failures in full."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.collect import Collected
from autograder.course import Course
from autograder.panel import as_text
from autograder.results import Results, SubmissionResult

STYLES = {"correct": "green", "wrong": "yellow", "raised": "yellow", "limit": "yellow", "not_attempted": "dim",
          "unreadable": "red", "grader_fault": "bold red"}


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
        table.add_row(Text(without_control(one.student)), f"{one.score:g}/{one.max_score:g}", Text(one.outcome.replace("_", " "), STYLES[one.outcome]),
                      Text(without_control(one.reason + (f"; {one.late.reason}" if one.late else ""))))
    console.print(table, soft_wrap=False)


def show_submission(console: Console, results: Results) -> None:
    """One notebook: a table of its exercises, then every failure in full."""
    one = results.submissions[0]
    table = Table(title=f"{without_control(one.notebook)} ({results.assignment}, isolation level {results.isolation})", title_justify="left")
    for name, justify in (("exercise", "left"), ("score", "right"), ("outcome", "left"), ("behaves like", "left")):
        table.add_column(name, justify=justify, no_wrap=name == "exercise")
    for exercise in one.exercises:
        table.add_row(exercise.name, f"{exercise.score:g}/{exercise.max_score:g}",
                      Text(exercise.outcome.replace("_", " ") + (", see its note" if exercise.remarks else ""), STYLES[exercise.outcome]), exercise.behaves_like or "")
    table.add_row("total", f"{one.score:g}/{one.max_score:g}", "", "", style="bold")
    console.print(table, soft_wrap=False)
    for line in _notes(one):
        console.print(Text(line))
    for exercise in one.exercises:
        if exercise.outcome not in ("correct", "unreadable", "not_attempted") or exercise.remarks:
            console.print(Text("\n" + without_control(as_text(exercise))))


def _notes(one: SubmissionResult) -> list[str]:
    lines = [f"reason: {without_control(one.reason)}"] + [f"note: {without_control(remark)}" for remark in one.remarks]
    for written in one.written:
        state = "answered" if written.answered else "not answered yet"
        lines.append(f"written question {written.name} ({written.max_score:g} points, graded by a person): {state}")
    missing = sum(exercise.hidden_checks_not_run for exercise in one.exercises)
    if missing:
        lines.append(f"{missing} hidden checks were not run here: grading runs them, and the points above leave them out.")
    return lines


def without_control(text: str) -> str:
    """`text` without control and direction-changing characters, which could rewrite the terminal's lines."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\u{ord(c):04x}" for c in text)


def show_collected(console: Console, collected: Collected, assignment: str, *, dry_run: bool) -> None:
    """A table of what an intake took, and every refusal with its reason."""
    table = Table("student", "notebook taken", "handed in", "older attempts kept")
    for student, attempt in sorted(collected.taken.items()):
        when = attempt.when.strftime("%Y-%m-%d %H:%M UTC") if attempt.when else "unknown"
        table.add_row(escape(student), escape(str(attempt.item.path)), when, str(len(collected.older[student])))
    console.print(table)
    if collected.replaced:
        console.print(f"[bold yellow]{'would be replaced' if dry_run else 'replaced'}[/] what lies in submitted/ of {escape(', '.join(collected.replaced))}, which never came "
                      f"(changed by hand?); it is kept as collected/{assignment}/<student>/…-before-{assignment}.ipynb")
    if collected.late:
        console.print(f"[bold yellow]late[/] says Canvas of {escape(', '.join(sorted(collected.late)))}. Its export holds no time of handing in, so the time of the file is "
                      f"taken; correct it in submitted/<student>/{assignment}/timestamp.txt (2027-02-13 08:30:00 UTC) or extend the date in course.yaml")
    for refused in collected.refused:
        console.print(f"[bold yellow]refused[/] {escape(str(refused.path))}: {escape(refused.reason)}")
    done = "would be taken" if dry_run else "taken"
    console.print(f"{len(collected.taken)} {done}, {len(collected.unchanged)} as before, {len(collected.refused)} refused. "
                  f"Everything that came is {'to be ' if dry_run else ''}kept under collected/{assignment}.")
