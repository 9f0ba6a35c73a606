"""Sheets: tables as CSV that a spreadsheet opens without taking a cell for a formula, and the gradebook as one of them."""

from __future__ import annotations

import csv
import io
import unicodedata
from typing import Any, Callable, Iterable

from autograder.scores import Scores

RISKY = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # the wide ones count in some countries' spreadsheets


def sheet_text(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A CSV document (UTF-8, commas, one line feed a row). Numbers stay numbers; texts are made safe by `safe_cell`."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([[_cell(value) for value in row] for row in ([*head], *rows)])
    return stream.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return safe_cell(str(value))


def safe_cell(text: str) -> str:
    """`text` with an apostrophe before it where a spreadsheet would take it for a formula, also behind characters that are not seen.

    Line breaks become blanks: a row stays a line. NUL, which no CSV reader takes, is left out.
    """
    flat = text.replace("\0", "")
    seen = next((flat[place:] for place, letter in enumerate(flat) if unicodedata.category(letter)[0] not in "CZ"), "")
    risky = flat.startswith(RISKY) or seen.startswith(RISKY)
    return ("'" if risky else "") + " ".join(flat.splitlines())


def number(value: float) -> str:
    """A score as text: four decimals at most, no exponent for any score there is."""
    return f"{round(value, 4) + 0.0:.10g}"


def scores_sheet(assignments: dict[str, Scores], name: Callable[[str], str] = str) -> str:
    """One row a student: for each assignment the total that counts, what it is made of, and every exercise. `name` may be a pseudonym's."""
    head, columns = ["student"], []
    for assignment, scores in assignments.items():
        parts = [
            ("", "total"),
            (" by machine", "machine"),
            (" by hand", "hand"),
            (" late deduction", "late"),
            (" waits for a person", "waiting"),
        ]
        head += (
            [f"{assignment}{title}" for title, _ in parts]
            + [f"{assignment} of"]
            + [f"{assignment}: {cell} (of {number(most)})" for cell, most in scores.cells.items()]
        )
        columns.append((scores, [attribute for _, attribute in parts]))
    students = sorted({student for scores in assignments.values() for student in scores.students}, key=name)
    return sheet_text(
        head, ([name(student), *(cell for scores, parts in columns for cell in _part(scores, student, parts))] for student in students)
    )


def _part(scores: Scores, student: str, parts: list[str]) -> list[Any]:
    one = scores.students.get(student)
    if one is None:  # nothing handed in
        return [None] * (len(parts) + 1 + len(scores.cells))
    told = ["yes" if value is True else "" if value is False else value for value in (getattr(one, part) for part in parts)]
    return [*told, scores.most, *(one.cells.get(cell) for cell in scores.cells)]
