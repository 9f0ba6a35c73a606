"""The command ``autograder report``: the class report in three formats, and what changed since an older run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from autograder.places import CourseError
from autograder.terminal import console

Name = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="Its name, as in course.yaml.")]
Html = Annotated[Optional[Path], typer.Option("--html", metavar="PATH", help="Where the page goes; by default reports/ASSIGNMENT.html.")]
Markdown = Annotated[Optional[Path], typer.Option("--markdown", metavar="PATH", help="Write Markdown as well ('-' for standard output).")]
Csv = Annotated[Optional[Path], typer.Option("--csv", metavar="PATH", help="Write its numbers as CSV as well ('-' for standard output).")]
Anonymous = Annotated[bool, typer.Option("--anonymous", help="Pseudonyms in place of names; no file names and paths.")]
Since = Annotated[Optional[Path], typer.Option("--since", metavar="OLD.json", help="Say what changed since an older results document.")]
Document = Annotated[Optional[Path], typer.Option("--results", metavar="PATH.json", help="Report this document, not what was graded last.")]


def report(assignment: Name, html: Html = None, markdown: Markdown = None, csv: Csv = None, anonymous: Anonymous = False,
           since: Since = None, results: Document = None) -> None:
    """Report on the class: scores, checks, mistakes, what separates students, what is the same, how it was graded.

    From what was graded last, and nothing is graded by it. Example: autograder report attention --anonymous
    """
    from autograder.classreport import make_report
    from autograder.course import course_here
    from autograder.difference import difference, present_marks
    from autograder.reportpage import page_text
    from autograder.reporttext import csv_text, markdown_text
    from autograder.roll import read_results, read_roll
    root, course = course_here()
    course.assignment(assignment)
    roll = read_roll(root, course, assignment, results)
    changed = None
    if since is not None:
        now = read_results(results, assignment).marks if results else present_marks(root, course, roll)
        changed = difference(read_results(since, assignment), roll, now)
    made = make_report(roll, course, root, anonymous=anonymous, difference=changed, since=since.name if since else "")
    shown = console(stderr=Path("-") in (markdown, csv))
    for path, text in ((html or root / "reports" / f"{assignment}.html", page_text(made)), (markdown, markdown_text), (csv, csv_text)):
        if path is not None:
            _write(shown, path, text if isinstance(text, str) else text(made))
    if made.difference:
        show_difference(shown, made.difference, made.since)
    if made.stale or made.ungraded:
        shown.print(
            f"{len(made.stale) + len(made.ungraded)} submissions are new or changed since; grade them with: autograder grade {assignment}"
        )


def _write(screen: Console, path: Path, text: str) -> None:
    if str(path) == "-":
        sys.stdout.write(text)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
    except OSError as error:
        raise CourseError(f"{path}: cannot be written ({error.strerror}); name another place") from error
    screen.print(f"wrote {escape(str(path))}")


def show_difference(screen: Console, changed, since: str) -> None:
    """What changed, in the terminal: the causes, then one row for each student that changed."""
    from autograder.report import without_control as plain_text
    from autograder.reporttext import in_a_line
    for cause in changed.causes:
        screen.print(Text(cause))
    if changed.changes:
        table = Table(
            "student", "before", "after", "which checks", "graded from", title=f"changed since {escape(since)}", title_justify="left"
        )
        for one in changed.changes:
            table.add_row(Text(plain_text(one.student)), f"{one.before:g}", f"{one.after:g}",
                          Text("\n".join(plain_text(in_a_line(check)) for check in one.checks) or "no check"), one.notebook)
        screen.print(table, soft_wrap=False)
    for word, names in (("new", changed.new), ("not there any more", changed.gone)):
        if names:
            screen.print(Text(plain_text(f"{word}: {', '.join(names)}")))
    screen.print(f"{len(changed.changes)} changed, {changed.same} came out as before")
