"""The difference between two runs: whose score changed, from what to what, by which check, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course import Course
from autograder.deckfile import version_of
from autograder.ledger import open_ledger
from autograder.results import ExerciseResult, Marks, Results, SubmissionResult
from autograder.roll import Roll, Row

OTHER_BYTES, SAME_BYTES, UNKNOWN_BYTES = "another notebook was graded", "the same notebook", "whether the notebook is the same is not known"


@dataclass(frozen=True)
class Change:
    """One student's change: scores, each check that changed as (exercise, title, before, after), and whether the notebook is the same."""

    student: str
    before: float
    after: float
    checks: list[tuple[str, str, str, str]]
    notebook: str


@dataclass(frozen=True)
class Difference:
    """What differs from an older run: `causes` hold for all students; `same` counts those whose every check came out as before."""

    causes: list[str]
    changes: list[Change]
    new: list[str]
    gone: list[str]
    same: int


def difference(old: Results, roll: Roll, now: Marks | None) -> Difference:
    """Compare an older document with what was graded last; `now` are the marks of that, where they are known."""
    before = {one.student: one for one in old.submissions}
    after = {row.student: row for row in roll.rows}
    both = sorted(before.keys() & after.keys())
    changes = [change for student in both if (change := _change(before[student], after[student], old.marks))]
    return Difference(
        _causes(old, roll, now),
        changes,
        sorted(after.keys() - before.keys()),
        sorted(before.keys() - after.keys()),
        len(both) - len(changes),
    )


def present_marks(root: Path, course: Course, roll: Roll) -> Marks | None:
    """The marks of what was graded last; None where other files lie there by now, or not all was graded by the same."""
    versions = {row.version for row in roll.rows}
    level = roll.rows[0].isolation
    if versions != {open_ledger(root, course, roll.assignment, level=level).version}:
        return None
    kit, seeded = (version_of(root, roll.assignment, seed) for seed in (0, course.seed))
    return Marks(kit=kit, seeded=seeded, all=versions.pop(), submissions={row.student: row.submission for row in roll.rows})


def _change(before: SubmissionResult, row: Row, marks: Marks | None) -> Change | None:
    checks = [(name, title, one, other) for (name, title), (one, other) in _paired(before, row.result).items() if one != other]
    if not checks and before.score == row.result.score and before.outcome == row.result.outcome:
        return None
    old = marks.submissions.get(row.student, "") if marks else ""
    notebook = UNKNOWN_BYTES if not old or not row.submission else SAME_BYTES if old == row.submission else OTHER_BYTES
    return Change(row.student, before.score, row.result.score, checks, notebook)


def _paired(before: SubmissionResult, after: SubmissionResult) -> dict[tuple[str, str], tuple[str, str]]:
    """Every check's outcome before and after, with the points where those changed."""
    one, other = _outcomes(before), _outcomes(after)
    return {key: (one.get(key, "not there"), other.get(key, "not there")) for key in {**one, **other}}


def _outcomes(result: SubmissionResult) -> dict[tuple[str, str], str]:
    return {(exercise.name, check.title): f"{check.outcome.replace('_', ' ')} ({check.points:g} of {check.max_points:g})"
            for exercise in result.exercises for check in exercise.checks}


def _causes(old: Results, roll: Roll, now: Marks | None) -> list[str]:
    said = []
    versions = sorted({row.kit_version for row in roll.rows} - {""})
    if versions and versions != [old.kit_version]:
        said.append(f"The kit's version changed from {old.kit_version} to {', '.join(versions)}.")
    said += _changed_checks(old.submissions[0].exercises if old.submissions else [], roll.rows[0].result.exercises)
    levels = sorted({level_of(row.isolation) for row in roll.rows if row.isolation} - {old.isolation})
    if levels:
        said.append(f"The isolation level changed from {old.isolation} to {', '.join(levels)}.")
    if old.marks is None or now is None:
        said.append("Whether the seed or the course's files changed is not known: "
                    + ("the older document does not say." if old.marks is None else "not all was graded with the files that lie here now."))
    elif old.marks.kit != now.kit:
        said.append("Files of the kit or of the assignment's exercises changed (whether the seed did as well cannot be told then).")
    elif old.marks.seeded != now.seeded:
        said.append("The course's seed changed, and with it the inputs of hidden checks.")
    elif old.marks.all != now.all and not levels:
        said.append("The limits, the release or what the isolation level stopped changed.")
    return said or ["Kit, checks, seed, limits and level are as before."]


def _changed_checks(before: list[ExerciseResult], after: list[ExerciseResult]) -> list[str]:
    one, other = ({(e.name, c.title): (c.max_points, c.visibility) for e in exercises for c in e.checks} for exercises in (before, after))
    kinds: Counter[str] = Counter()
    kinds.update({"added": len(other.keys() - one.keys()), "taken out": len(one.keys() - other.keys()),
                  "given other points or another visibility": sum(one[key] != other[key] for key in one.keys() & other.keys())})
    said = [f"{count} {kind}" for kind, count in kinds.items() if count]
    return [f"Checks: {', '.join(said)}."] if said else []


def level_of(sentence: str) -> str:
    """The level named in the sentence that stands in notebooks and gradebook."""
    words: list[Any] = sentence.removeprefix("isolation level ").replace(";", " ").split()
    return words[0] if words else ""
