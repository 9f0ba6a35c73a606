"""The class report as Markdown, and as one long CSV table from which any other can be made."""

from __future__ import annotations

from typing import Any, Iterable, Iterator

from autograder.autograded import as_markdown
from autograder.classreport import ClassReport
from autograder.difference import Difference
from autograder.items import Item
from autograder.reportfigures import FEW, score_bins, time_bins
from autograder.reportpage import counted, otherwise
from autograder.sheets import number, sheet_text

COLUMNS = ("what", "exercise", "check", "kind", "student", "value", "of", "text")
CAREFUL = (
    "For a person to look at, and no more: right answers to a short exercise often coincide, so do answers that follow the same lecture "
    "or book, or were written together where that is allowed. Nothing is graded by it."
)


def markdown_text(report: ClassReport) -> str:
    """The whole report as Markdown; a student's text is escaped, so that nothing in it is a link, a picture or HTML."""
    lines = [
        f"# Class report: {report.assignment}",
        "",
        f"{counted(len(report.people), 'submission')} graded, by kit {', '.join(report.kit_versions) or '(not known)'}.",
        "",
    ]
    lines += _table(("", "submissions"), _counts(report))
    lines += ["## Scores by machine", ""]
    if report.graded:
        low, middle, high = map(number, report.quartiles)
        if len(report.graded) >= FEW:
            lines += [f"Half of them lie between {low} and {high} of {number(report.most)} points; the median is {middle}.", ""]
        lines += _table(("points", "submissions"), [bin for bin in score_bins(report) if bin[1]])
    lines += [
        "## Exercises",
        "",
        *_table(("exercise", "right", "otherwise", "mean", "does it tell students apart?"), map(_exercise, report.items)),
    ]
    lines += ["## Checks", "", *_table(("exercise", "check", "kind", "points", "holds", "otherwise"), _checks(report))]
    lines += ["## Mistakes that have a name", "", *_mistakes(report)]
    lines += ["## Time, attempts, deductions", "", *_times(report)]
    lines += ["## Code that is the same after renaming", "", CAREFUL, ""]
    lines += _table(
        ("submissions", "same in"), [(", ".join(group.students), ", ".join(group.exercises)) for group in report.similar.groups]
    )
    lines += ["## How it was graded", "", *_table(("isolation", "submissions"), report.isolation.items())]
    lines += _table(("flagged for a person", "students"), [(text, ", ".join(names)) for text, names in report.flagged])
    lines += _table(("odd, or repaired before grading", "students"), [(text, ", ".join(names)) for text, names in report.said])
    lines += _difference(report.difference, report.since) if report.difference else []
    lines += [
        "## Students",
        "",
        *_table(("student", "by machine", "total", "reason"), [(p.name, number(p.score), p.total, p.reason) for p in report.people]),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _counts(report: ClassReport) -> list[tuple[str, int]]:
    return [("handed in", len(report.people) + len(report.ungraded)), ("attempted", sum(person.tried for person in report.people)),
            ("all exercises right", report.count("correct")), ("could not be read", report.count("unreadable")),
            ("could not be graded (the grader's own fault)", report.count("grader_fault")), ("not graded yet", len(report.ungraded))]


def _exercise(item: Item) -> tuple[Any, ...]:
    words = item.words + ("" if item.separates is None else f" (r = {item.separates:+.2f})")
    return (
        item.name,
        f"{item.outcomes.get('correct', 0)} ({item.rate:.0%})",
        otherwise(item.outcomes),
        f"{item.mean:.1f} of {number(item.most)}",
        words,
    )


def _checks(report: ClassReport) -> list[tuple[Any, ...]]:
    return [
        (
            item.name,
            check.title,
            check.visibility,
            check.most,
            f"{check.outcomes.get('correct', 0)} ({check.rate:.0%})",
            otherwise(check.outcomes),
        )
        for item in report.items
        for check in item.checks
    ]


def _mistakes(report: ClassReport) -> list[str]:
    lines = []
    for mistake in report.mistakes:
        lines += [f"**{as_markdown(mistake.exercise)}: {as_markdown(mistake.tell)}** ({counted(mistake.count, 'answer')})", ""]
        if mistake.example:
            lines += [*(f"    {line}" for line in mistake.example.split("\n")), ""]  # indented: no fence that code could close
    return lines or ["None.", ""]


def _times(report: ClassReport) -> list[str]:
    known = any(person.hours is not None for person in report.people)
    attempts = [person.attempts for person in report.people if person.attempts]
    lines = _table(("handed in", "submissions"), time_bins(report)) if known else ["When they were handed in is not known.", ""]
    if attempts:
        lines += _table(("notebooks handed in", "students"), [(count, attempts.count(count)) for count in sorted(set(attempts))])
    return lines + _table(
        ("student", "deducted for being late", "why"), [(p.name, p.late, p.late_because) for p in report.people if p.late]
    )


def _difference(one: Difference, since: str) -> list[str]:
    rows = [
        (change.student, change.before, change.after, "; ".join(map(in_a_line, change.checks)) or "no check", change.notebook)
        for change in one.changes
    ]
    said = [f"{counted(len(one.changes), 'submission')} changed, {one.same} came out as before."]
    said += [f"{word}: {as_markdown(', '.join(names))}." for word, names in (("New", one.new), ("Not there any more", one.gone)) if names]
    return [f"## What changed since {as_markdown(since)}", "", " ".join([*one.causes, *said]), "",
            *_table(("student", "before", "after", "which checks", "graded from"), rows)]


def in_a_line(check: tuple[str, str, str, str]) -> str:
    """A check that came out in another way, in one line."""
    exercise, title, before, after = check
    return f"{exercise}: {title}: {before} → {after}"


def _table(head: tuple[str, ...], rows: Iterable[Iterable[Any]]) -> list[str]:
    """A table with an empty line after it; nothing where there are no rows."""
    made = ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *made, ""] if made else []


def _cell(value: Any) -> str:
    return "–" if value is None else number(value) if isinstance(value, (int, float)) else as_markdown(value)


def csv_text(report: ClassReport) -> str:
    """The report as a long table: each row says `what` it counts, of which exercise, check or student, and its value."""
    return sheet_text(COLUMNS, ([row.get(column) for column in COLUMNS] for row in _long(report)))


def _long(report: ClassReport) -> Iterator[dict[str, Any]]:
    for what, count in _counts(report):
        yield {"what": what, "value": count}
    for item in report.items:
        yield {"what": "exercise", "exercise": item.name, "kind": "mean score", "value": item.mean, "of": item.most, "text": item.title}
        yield {"what": "exercise", "exercise": item.name, "kind": "correlation with the rest", "value": item.separates, "text": item.words}
        total = sum(item.outcomes.values())
        yield from (
            {"what": "exercise", "exercise": item.name, "kind": kind, "value": count, "of": total}
            for kind, count in sorted(item.outcomes.items())
        )
        for check in item.checks:
            yield from ({"what": f"{check.visibility} check", "exercise": item.name, "check": check.name, "kind": kind, "value": count,
                         "of": sum(check.outcomes.values()), "text": check.title} for kind, count in sorted(check.outcomes.items()))
    yield from ({"what": "mistake", "exercise": one.exercise, "value": one.count, "text": one.tell} for one in report.mistakes)
    for place, group in enumerate(report.similar.groups, 1):
        yield from (
            {"what": "same code", "exercise": name, "kind": f"group {place}", "student": student}
            for student in group.students
            for name in group.exercises
        )
    yield from ({"what": "isolation", "value": count, "text": sentence} for sentence, count in report.isolation.items())
    for what, gathered in (("flagged", report.flagged), ("remark", report.said)):
        yield from ({"what": what, "student": name, "text": text} for text, names in gathered for name in names)
    yield from _people(report)
    for change in report.difference.changes if report.difference else ():
        yield {
            "what": "change",
            "kind": "before",
            "student": change.student,
            "value": change.before,
            "text": "; ".join(map(in_a_line, change.checks)),
        }
        yield {"what": "change", "kind": "after", "student": change.student, "value": change.after, "text": change.notebook}


def _people(report: ClassReport) -> Iterator[dict[str, Any]]:
    for person in report.people:
        yield {
            "what": "student",
            "student": person.name,
            "kind": "by machine",
            "value": person.score,
            "of": person.most,
            "text": person.reason,
        }
        yield {"what": "student", "student": person.name, "kind": "total", "value": person.total}
        if person.late:
            yield {"what": "student", "student": person.name, "kind": "late deduction", "value": person.late, "text": person.late_because}
        extra = (("hours before due", person.hours), ("notebooks handed in", person.attempts or None))
        yield from ({"what": "student", "student": person.name, "kind": kind, "value": value} for kind, value in extra if value is not None)
        yield from (
            {"what": "student", "student": person.name, "exercise": name, "kind": "score", "value": score}
            for name, score in person.exercises.items()
        )
