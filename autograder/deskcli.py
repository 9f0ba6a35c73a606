"""``autograder progress`` and ``autograder check --watch``: the student's side of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from autograder.standing import DONE, NOT_ATTEMPTED, WRONG, Standing, progress_in, state_of
from autograder.terminal import console
from autograder.watch import watch

STYLES = {DONE: "green", WRONG: "yellow", NOT_ATTEMPTED: "dim"}
MARKS = {DONE: "✓", WRONG: "✗", NOT_ATTEMPTED: "–"}


Folder = Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where your notebooks are, also those in folders below it; by default here.",
                                        show_default=False)]


def progress(folder: Folder = Path(".")) -> None:
    """Show how far you are: every exercise of the course, done, wrong or not attempted, by the public checks.

    Only notebooks that were saved since are checked again. Example: autograder progress release
    """
    from autograder.places import CourseError
    out = console()
    if not folder.is_dir():
        raise CourseError(f"{folder}: there is no such folder")
    standings = progress_in(folder, checking=lambda path: out.print(f"checking {escape(str(path))} …", style="dim"))
    for standing in standings:
        out.print(_line(standing, folder))
    _show_sum(out, standings)


def _line(standing: Standing, folder: Path) -> Text | Table:
    if standing.result is None:
        return Text(f"{standing.assignment}: no notebook here", "dim")
    states = [state_of(exercise.outcome) for exercise in standing.result.exercises]
    title = f"{standing.assignment}: {states.count(DONE)} of {len(states)} done ({standing.path.relative_to(folder)}"
    title += f"; not counted: {', '.join(str(path.relative_to(folder)) for path in standing.others)})" if standing.others else ")"
    table = Table(title=Text(title), title_justify="left", show_header=False, box=None, padding=(0, 2, 0, 0))
    for exercise, state in zip(standing.result.exercises, states):
        held = sum(check.outcome == "correct" for check in exercise.checks)
        table.add_row(Text(f"  {MARKS[state]} {exercise.name}", STYLES[state]), Text(state, STYLES[state]),
                      "" if state == NOT_ATTEMPTED else f"{held} of {len(exercise.checks)} checks hold")
    for question in standing.result.written:
        table.add_row(Text(f"  {MARKS[NOT_ATTEMPTED]} {question.name}", STYLES[NOT_ATTEMPTED]), Text("answered" if question.answered else "not answered yet"),
                      "a question in words, graded by a person")
    if standing.result.outcome == "unreadable":
        table.add_row(Text(f"  the notebook cannot be read: {standing.result.reason}"))
    return table


def _show_sum(out: Console, standings: list[Standing]) -> None:
    exercises = [exercise for standing in standings if standing.result for exercise in standing.result.exercises]
    done = sum(state_of(exercise.outcome) == DONE for exercise in exercises)
    hidden = sum(exercise.hidden_checks_not_run for exercise in exercises)
    out.print(f"{done} of {len(exercises)} exercises done. Done means that every public check holds; {hidden} hidden checks run in grading "
              "only.")


def watch_and_check(out: Console, file: Path, show, *, least: str | None) -> None:
    """Check a notebook at every save and show the results with `show`, until Ctrl-C."""
    from autograder.box import start_box
    from autograder.checkfile import check_file, for_students
    from autograder.grader import DESK
    boxes = []

    def recheck() -> None:
        out.print("checking …", style="dim")
        if not boxes and for_students(file):
            boxes.append(start_box(DESK.limits))
        results = check_file(file, least=least, box=boxes[0] if boxes else None)
        if results.submissions[0].outcome == "unreadable":
            out.print(f"{escape(file.name)} cannot be read now: {escape(results.submissions[0].reason)}")
        else:
            show(results)
    try:
        watch(file, recheck, tell=lambda line: out.print(escape(line), style="dim"))
    finally:
        for box in boxes:
            box.close()
