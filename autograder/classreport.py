"""The class report: what a roll says of a class, in the words and names that a reader is shown, whatever the format."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Iterable

from autograder.answers import answer_source
from autograder.assignment import with_staff_half
from autograder.course import Course
from autograder.difference import Change, Difference
from autograder.example import anonymous_code
from autograder.gradebook import student_key
from autograder.items import NOT_TRIED, Item, items, something_tried
from autograder.places import has_staff_half
from autograder.pseudonym import pseudonyms, scrubber
from autograder.roll import Roll, Row
from autograder.similar import Group, Similar, similar_code

NOT_GRADED = ("unreadable", "grader_fault")
PERSON = "For a person"  # how the grader's flags begin


@dataclass(frozen=True)
class Mistake:
    """A known mistake: in which exercise, what the answers behave like, of how many students, and one student's code without names."""

    exercise: str
    tell: str
    count: int
    example: str | None


@dataclass(frozen=True)
class Person:
    """One student's line. `total` is what the gradebook counts (None: not there); `hours` before the date due."""

    name: str
    score: float
    most: float
    total: float | None
    late: float
    late_because: str
    outcome: str
    tried: bool
    reason: str
    hours: float | None
    attempts: int
    waits: bool
    exercises: dict[str, float]


@dataclass(frozen=True)
class ClassReport:
    """Everything that the page, the Markdown and the CSV show. `said`: remarks, `flagged`: what a person should look at, with names."""

    assignment: str
    anonymous: bool
    kit_versions: list[str]
    people: list[Person]
    ungraded: list[str]
    stale: list[str]
    items: list[Item]
    mistakes: list[Mistake]
    similar: Similar
    said: list[tuple[str, list[str]]]
    flagged: list[tuple[str, list[str]]]
    isolation: dict[str, int]
    due_known: bool
    difference: Difference | None = None
    since: str = ""

    def count(self, *outcomes: str) -> int:
        """How many submissions came out in one of these ways."""
        return sum(person.outcome in outcomes for person in self.people)

    @property
    def graded(self) -> list[Person]:
        """Those who could be graded."""
        return [person for person in self.people if person.outcome not in NOT_GRADED]

    @property
    def most(self) -> float:
        """The points to be had by machine."""
        return max((person.most for person in self.people), default=0.0)

    @property
    def quartiles(self) -> list[float]:
        """Lower quartile, median and upper quartile of the scores by machine."""
        scores = [person.score for person in self.graded]
        return statistics.quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else scores * 3


def make_report(
    roll: Roll, course: Course, root: Path, *, anonymous: bool = False, difference: Difference | None = None, since: str = ""
) -> ClassReport:
    """The report of a class. With `anonymous` no student's name, file name or path is in it."""
    everybody = {row.student for row in roll.rows} | set(roll.ungraded) | ({*difference.new, *difference.gone} if difference else set())
    pseudonym = pseudonyms(course.seed, everybody)
    named: Callable[[str], str] = pseudonym.__getitem__ if anonymous else str
    scrub = scrubber(everybody)
    told = (lambda text: _QUOTED.sub("`…`", scrub(text))) if anonymous else str
    rows = sorted(roll.rows, key=lambda row: named(row.student))
    graded = [row for row in rows if row.result.outcome not in NOT_GRADED]
    return ClassReport(
        roll.assignment,
        anonymous,
        sorted({row.kit_version for row in rows} - {""}),
        [_person(roll, row, named, told) for row in rows],
        sorted(map(named, roll.ungraded)),
        [named(row.student) for row in rows if row.stale],
        items([row.result for row in graded]) if graded else [],
        _mistakes(graded, scrub),
        _named(similar_code(_answers(graded), known_answers(roll.assignment, root)), named),
        _gathered((told(remark), named(row.student)) for row in rows for remark in _remarks(row)),
        _gathered(
            (told(f"{exercise.name}: {remark}"), named(row.student))
            for row in rows
            for exercise in row.result.exercises
            for remark in exercise.remarks
            if remark.startswith(PERSON)
        ),
        dict(Counter(row.isolation or "not known" for row in rows)),
        roll.due is not None,
        _renamed(difference, named) if difference else None,
        "an older run" if anonymous else since,
    )


_QUOTED = re.compile(r"`[^`]*`")


def _person(roll: Roll, row: Row, named: Callable[[str], str], told: Callable[[str], str]) -> Person:
    result = row.result
    scores = roll.scores.students.get(student_key(row.student))
    hours = row.early.total_seconds() / 3600 if row.early is not None else None
    return Person(
        named(row.student),
        result.score,
        result.max_score,
        scores.total if scores else None,
        scores.late if scores else 0.0,
        told(_late_words(getattr(result, "late", None))),
        result.outcome,
        something_tried(result),
        told(result.reason),
        hours,
        row.attempts,
        scores.waiting if scores else False,
        {exercise.name: exercise.score for exercise in result.exercises},
    )


def _late_words(late: object) -> str:
    """Why something was deducted, where the results document tells."""
    if late is None or isinstance(late, str):
        return late or ""
    return str(getattr(late, "reason", "") or getattr(late, "sentence", "") or "")


def _remarks(row: Row) -> list[str]:
    said = [remark for exercise in row.result.exercises for remark in exercise.remarks if not remark.startswith(PERSON)]
    return list(dict.fromkeys([*row.result.remarks, *said]))


def _gathered(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Each text once, with whom it was said of; the most frequent first."""
    found: dict[str, list[str]] = {}
    for text, name in pairs:
        found.setdefault(text, []).append(name)
    return sorted(((text, sorted(set(names))) for text, names in found.items()), key=lambda one: (-len(one[1]), one[0]))


def _mistakes(rows: list[Row], scrub: Callable[[str], str]) -> list[Mistake]:
    """The known mistakes, the most frequent first. The example is the shortest, which says nothing of whose it is."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for exercise in row.result.exercises:
            if exercise.behaves_like:
                found.setdefault((exercise.name, exercise.behaves_like), []).append(row.answers.get(exercise.name, ""))
    made = []
    for (exercise, tell), sources in found.items():
        codes = sorted(
            filter(None, (anonymous_code(source, scrub) for source in sources if source.strip())), key=lambda code: (len(code), code)
        )
        made.append(Mistake(exercise, tell, len(sources), codes[0] if codes else None))
    return sorted(made, key=lambda mistake: (-mistake.count, mistake.exercise, mistake.tell))


def _answers(rows: list[Row]) -> dict[str, dict[str, str]]:
    """Exercise to student to code, of what was attempted."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        for exercise in row.result.exercises:
            if exercise.outcome not in NOT_TRIED and row.answers.get(exercise.name, "").strip():
                found.setdefault(exercise.name, {})[row.student] = row.answers[exercise.name]
    return found


def known_answers(assignment: str, root: Path) -> dict[str, list[str]]:
    """The staff's answers by exercise, right and known wrong ones, as notebook code; nothing where the staff's files are not at hand."""
    if not has_staff_half(assignment, root):
        return {}
    return {name: [answer_source(root / "solutions" / assignment / f"{name}.py", function, name)
                   for function in (name, *(one.name for one in (*exercise.alternates, *exercise.misconceptions)))]
            for name, exercise in with_staff_half(assignment, root).items()}


def _named(similar: Similar, named: Callable[[str], str]) -> Similar:
    groups = [Group(tuple(sorted(map(named, group.students))), group.exercises) for group in similar.groups]
    return replace(similar, groups=sorted(groups, key=lambda group: (-len(group.exercises), group.students)))


def _renamed(one: Difference, named: Callable[[str], str]) -> Difference:
    changes: list[Change] = sorted(
        (replace(change, student=named(change.student)) for change in one.changes), key=lambda change: change.student
    )
    return replace(one, changes=changes, new=sorted(map(named, one.new)), gone=sorted(map(named, one.gone)))
