"""The commands ``autograder export gradescope | canvas | csv``: out to other systems."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.markup import escape
from rich.text import Text

from autograder.places import CourseError
from autograder.terminal import console

export = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Hand grades or checks on to another system: gradescope, canvas or csv.\n\nExample: autograder export csv attention"
)

Name = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="Its name, as in course.yaml.")]


Zip = Annotated[Optional[Path], typer.Option("--out", metavar="FILE.zip", help="Where to write it; by default ASSIGNMENT-gradescope.zip.")]
Least = Annotated[Optional[str], typer.Option("--least-isolation", metavar="LEVEL", help="Grade there at this level at least: "
                                              "isolated, confined, limited or none; by default what course.yaml says.")]
Hidden = Annotated[str, typer.Option("--hidden-checks", metavar="WHEN", help="When students see how hidden checks came out: "
                                     "visible, after_due_date, after_published or hidden. All but visible hide their total as well until then.")]
Minutes = Annotated[int, typer.Option(min=2, max=40, metavar="N", help="The time limit set at Gradescope.")]
Memory = Annotated[int, typer.Option(min=512, metavar="MB", help="The container's memory set at Gradescope.")]
Pip = Annotated[str, typer.Option("--pip-options", metavar="TEXT", help="Options for pip there, such as an index with torch for CPUs.")]


@export.command()
def gradescope(assignment: Name, out: Zip = None, least_isolation: Least = None, hidden: Hidden = "visible", minutes: Minutes = 10,
               memory: Memory = 768, pip_options: Pip = "") -> None:
    """Make the zip that runs the same checks at Gradescope. It holds solutions: for staff only.

    Example: autograder export gradescope attention --least-isolation none
    """
    from autograder.box import LEVELS
    from autograder.course import course_here
    from autograder.gradescope import VISIBILITIES, There, make_zip
    root, course = course_here()
    course.assignment(assignment)
    least = least_isolation or course.isolation.least
    for option, value, known in (("--least-isolation", least, LEVELS), ("--hidden-checks", hidden, VISIBILITIES)):
        if value not in known:
            raise CourseError(f"{option} {value}: there is no such choice; choose from {', '.join(known)}")
    target = out or Path(f"{assignment}-gradescope.zip")
    data = make_zip(root, course, assignment, There(least, hidden, minutes, memory, pip_options))
    _write(target, data)
    screen = console()
    screen.print(f"wrote {escape(str(target))} ({len(data) / 1e6:.1f} MB; it holds solutions: for staff only)")
    screen.print(
        f"Students' code is graded there at isolation level {least} or better" + (" (course.yaml)." if least_isolation is None else ".")
    )
    if least != "none":
        screen.print(
            "Where the container has less to offer, nothing is graded and the result says so: try it there with one submission, "
            "and if need be make the zip with --least-isolation none (the verdict stays outside the student's process even then)."
        )


@export.command()
def canvas(
    assignment: Name,
    gradebook: Annotated[Path, typer.Option("--gradebook", metavar="EXPORT.csv", help="The gradebook as you exported it from Canvas.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.csv", help="Where to write it, filled.")],
    column: Annotated[
        Optional[str], typer.Option("--column", metavar='"NAME (ID)"', help="The column to fill, where its name does not tell.")
    ] = None,
) -> None:
    """Fill the scores into your own export of Canvas's gradebook; import the result there.

    Example: autograder export canvas attention --gradebook canvas.csv --out filled.csv
    """
    from autograder.canvas import fill, read_grid
    from autograder.course import course_here
    from autograder.report import without_control as plain_text
    from autograder.scores import read_scores
    _, course = course_here()
    course.assignment(assignment)
    grid = read_grid(gradebook)
    scores = read_scores(course, assignment)
    _graded(scores, assignment)
    filled = fill(grid, scores, assignment, column)
    _write(out, grid.data())
    screen = console()
    screen.print(Text(plain_text(f"wrote {out}: {len(filled.scores)} scores in the column {filled.column}")))
    for student, why in filled.without_row.items():
        screen.print(Text(plain_text(f"graded here, but not filled in: {student}: {why}")))
    for name in filled.without_score:
        screen.print(Text(plain_text(f"in the export, but without a score here (the cell is as it was): {name}")))
    for warning in filled.warnings:
        screen.print(Text(plain_text(f"look at this: {warning}")))
    if filled.without_row:
        raise typer.Exit(3)


@export.command("csv")
def as_csv(
    assignments: Annotated[list[str], typer.Argument(metavar="ASSIGNMENT...", help="One or more.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.csv", help="Where to write it ('-' for standard output).")],
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Pseudonyms in place of names, as in the class report.")] = False,
) -> None:
    """Write the gradebook's scores as a table that is safe to open in a spreadsheet: one row a student.

    Example: autograder export csv attention multihead --out scores.csv
    """
    from autograder.course import course_here
    from autograder.gradebook import student_key
    from autograder.pseudonym import pseudonyms
    from autograder.report import without_control as plain_text
    from autograder.scores import read_scores
    from autograder.sheets import scores_sheet
    from autograder.submissions import handed_in
    root, course = course_here()
    read = {}
    for assignment in dict.fromkeys(assignments):
        course.assignment(assignment)
        read[assignment] = read_scores(course, assignment)
        _graded(read[assignment], assignment)
    everybody = {student for scores in read.values() for student in scores.students}
    text = scores_sheet(read, pseudonyms(course.seed, everybody).__getitem__ if anonymous else str)
    if str(out) == "-":
        sys.stdout.write(text)
        return
    _write(out, text.encode("utf-8", "replace"))
    screen = console()
    screen.print(f"wrote {escape(str(out))}: {len(everybody)} students")
    there = {student_key(one.student) for assignment in read for one in handed_in(root, assignment)}
    gone = sorted({student for scores in read.values() for student, one in scores.students.items() if one is not None} - there)
    if gone:
        names = f"{len(gone)} of them" if anonymous else plain_text(", ".join(gone))
        screen.print(Text(f"of the gradebook, though nothing lies in submitted/ any more: {names}; to take somebody out: nbgrader db student remove NAME --force"))


def _graded(scores, assignment: str) -> None:
    if not any(one is not None for one in scores.students.values()):
        raise CourseError(f"the gradebook has no grades of {assignment} yet; make them with: autograder grade {assignment}")


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise CourseError(f"{path}: cannot be written ({error.strerror}); name another place with --out") from error
