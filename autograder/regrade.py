"""What grading again changed: whose points, from what to what, by which checks, and because of what."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.difference import paired_outcomes
from autograder.report import without_control
from autograder.results import SubmissionResult

SHOWN = 4  # checks of one student that are named


@dataclass(frozen=True)
class Change:
    """One student's change: points before and after, the checks that came out otherwise, and whether another notebook was handed in."""

    student: str
    before: float
    after: float
    checks: list[str]
    anew: bool

    @property
    def why(self) -> str:
        """In words, what changed it."""
        more = len(self.checks) - SHOWN
        told = "; ".join(self.checks[:SHOWN]) + (f"; and {more} more" if more > 0 else "")
        return f"{'handed in anew' if self.anew else 'checks, kit or limits changed'}: {told}"


def change(before: SubmissionResult, after: SubmissionResult, *, anew: bool) -> Change | None:
    """What differs between two results of one student, or None."""
    checks = [f"{name}, “{title}”: {one} → {other}" for (name, title), (one, other) in paired_outcomes(before, after).items() if one != other]
    if not checks and (before.score, before.outcome) == (after.score, after.outcome):
        return None
    return Change(after.student, before.score, after.score, checks or [f"{before.outcome} → {after.outcome}".replace("_", " ")], anew)


def show_changes(console: Console, changes: list[Change], graded: int) -> None:
    """One row for each student whose result changed."""
    if not changes:
        console.print(f"{graded} graded again or anew; no result that was there before has changed")
        return
    table = Table(title=f"{len(changes)} of {graded} that were graded now came out otherwise than before", title_justify="left")
    for name, options in (("student", {"no_wrap": True}), ("before", {"justify": "right"}), ("now", {"justify": "right"}), ("why", {"overflow": "fold"})):
        table.add_column(name, **options)
    for one in sorted(changes, key=lambda one: one.student):
        table.add_row(Text(without_control(one.student)), f"{one.before:g}", f"{one.after:g}", Text(without_control(one.why)))
    console.print(table, soft_wrap=False)

