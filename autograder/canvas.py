"""Canvas: filling an instructor's own gradebook export with the scores, and touching nothing else in it.

No id or title is ever made up: only cells of one column that is there are filled, in rows that are there. Every other byte stays.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from autograder.collect import safe_name
from autograder.places import CourseError
from autograder.scores import Scores
from autograder.sheets import number

KEYS = ("ID", "SIS User ID", "SIS Login ID")  # in the order in which Canvas itself matches
_TITLE = re.compile(r"(?P<name>.*\S)\s*\((?P<id>\d+)\)\s*$")
_FROM_CANVAS = re.compile(r"(?P<name>.+)_(?P<id>\d+)$")  # how `autograder collect` names the folder of a submission from Canvas


@dataclass
class Grid:
    """A CSV file as its raw fields, quotes and all, with the separator that follows each: written back, it is the same bytes."""

    rows: list[list[str]]
    ends: list[list[str]]
    mark: bytes = b""

    def value(self, row: int, column: int) -> str:
        """What a field holds; nothing where the row is too short."""
        raw = self.rows[row][column] if column < len(self.rows[row]) else ""
        return raw[1:-1].replace('""', '"') if len(raw) > 1 and raw[0] == raw[-1] == '"' else raw

    def data(self) -> bytes:
        """The file."""
        return self.mark + "".join(raw + end for row, ends in zip(self.rows, self.ends) for raw, end in zip(row, ends)).encode()


@dataclass
class Filled:
    """What was done: scores by student's folder, who could not be matched on either side (with the reason), and what to look at."""

    column: str
    scores: dict[str, float] = field(default_factory=dict)
    without_row: dict[str, str] = field(default_factory=dict)
    without_score: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_grid(path: Path) -> Grid:
    """An export as it came. Raises `CourseError` when it is no gradebook export of Canvas."""
    try:
        data = path.read_bytes()
        mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise CourseError(f"{path}: cannot be read ({error.strerror}); give the file that Canvas exported") from error
    except UnicodeDecodeError as error:
        raise CourseError(
            f"{path}: not UTF-8 (byte {error.start}); give the file as Canvas exported it, not saved again by a spreadsheet"
        ) from error
    grid = grid_of(text, mark)
    head = [grid.value(0, column) for column in range(len(grid.rows[0]))] if grid.rows else []
    if "Student" not in head or "ID" not in head:
        raise CourseError(
            f"{path}: the first line has no columns Student and ID; export it in Canvas under Grades, Export, Entire Gradebook"
        )
    return grid


def grid_of(text: str, mark: bytes = b"") -> Grid:
    """The fields of a CSV text, raw. The separator is the comma, or the semicolon or tab where the first line has only those."""
    first = re.sub(r'"(?:[^"]|"")*"', "", text).split("\n")[0]
    separator = next((one for one in (",", ";", "\t") if one in first), ",")
    pattern = re.compile(rf'(?:"(?:[^"]|"")*"[^{separator}\r\n]*|[^{separator}\r\n]*)({separator}|\r\n|\r|\n|\Z)')
    rows, ends, place = [], [], 0
    row: list[str] = []
    stops: list[str] = []
    while place < len(text) or row:
        found = pattern.match(text, place)
        row.append(text[place:found.start(1)])
        stops.append(found[1])
        place = found.end()
        if found[1] != separator:
            rows.append(row)
            ends.append(stops)
            row, stops = [], []
    return Grid(rows, ends, mark)


def column_of(grid: Grid, assignment: str, wanted: str | None) -> int:
    """The place of the column to fill: the one that is `wanted` (title, or its name or id alone), or that bears the assignment's name.

    Raises `CourseError` naming the candidates where there is none, or more than one.
    """
    head = [grid.value(0, column) for column in range(len(grid.rows[0]))]
    titles = {column: match for column, title in enumerate(head) if (match := _TITLE.match(title))}
    asked = (wanted or assignment).strip()
    exact = [column for column in titles if head[column].strip() == asked]
    found = exact or [column for column, match in titles.items() if asked.casefold() in (match["name"].casefold(), match["id"])]
    if not found and wanted is None:
        found = [column for column, match in titles.items() if re.search(rf"(?<!\w){re.escape(asked)}(?!\w)", match["name"], re.IGNORECASE)]
    if len(found) == 1:
        return found[0]
    candidates = ", ".join(f'"{head[column]}"' for column in (found or titles)) or "(the export has no assignment at all)"
    what = f"{len(found)} columns of the export could be meant by" if found else "no assignment of the export is called"
    raise CourseError(f'{what} "{asked}"; choose one with --column: {candidates}')


def fill(grid: Grid, scores: Scores, assignment: str, wanted: str | None = None) -> Filled:
    """Put the scores that count into the grid, in place. Where two students claim one row, neither gets it."""
    column = column_of(grid, assignment, wanted)
    head = [grid.value(0, place) for place in range(len(grid.rows[0]))]
    filled = Filled(head[column], warnings=_points_possible(grid, column, scores))
    people = {row: _identity(grid, head, row) for row in range(1, len(grid.rows)) if _is_person(grid, head, row)}
    claims: dict[int, list[str]] = {}
    for student in (student for student, one in scores.students.items() if one is not None):
        row, why = _row_of(student, people)
        if row is None:
            filled.without_row[student] = why
        else:
            claims.setdefault(row, []).append(student)
    for row, students in claims.items():
        if len(students) == 1:
            filled.scores[students[0]] = scores.students[students[0]].total
            _put(grid, row, column, number(filled.scores[students[0]]))
        else:
            filled.without_row |= {
                student: f"several have the same row ({', '.join(students)}); keep one of them under submitted/" for student in students
            }
    filled.without_score = [person["Student"] or person["ID"] for row, person in people.items() if len(claims.get(row, ())) != 1]
    if waiting := sum(scores.students[student].waiting for student in filled.scores):
        filled.warnings.append(
            f"{waiting} of these scores are without an answer that still waits for a person; grade it, then export again"
        )
    return filled


def _points_possible(grid: Grid, column: int, scores: Scores) -> list[str]:
    for row in range(1, min(4, len(grid.rows))):
        if grid.value(row, 0).strip() == "Points Possible":
            try:
                there = float(grid.value(row, column))
            except ValueError:
                return []
            if abs(there - scores.most) > 1e-6:
                return [
                    f"Canvas has {number(there)} points possible for it, and here there are {number(scores.most)}; correct it in Canvas"
                ]
    return []


def _is_person(grid: Grid, head: list[str], row: int) -> bool:
    """Whether a row is a student's: it has an id (Points Possible and the row on posting have none)."""
    return grid.value(row, 0).strip() != "Points Possible" and any(grid.value(row, head.index(key)).strip() for key in KEYS if key in head)


def _identity(grid: Grid, head: list[str], row: int) -> dict[str, str]:
    return {key: grid.value(row, head.index(key)).strip() if key in head else "" for key in ("Student", *KEYS)}


def _row_of(student: str, people: dict[int, dict[str, str]]) -> tuple[int | None, str]:
    """A student's row, by the first of the keys that fits; or None and why."""
    for key in KEYS:
        found = [row for row, person in people.items() if person[key] and safe_name(person[key]) == student]
        if len(found) == 1:
            return found[0], ""
        if found:
            return None, f"{len(found)} rows have this {key}"
    canvas = _FROM_CANVAS.match(student)
    same = [row for row, person in people.items() if canvas and person["ID"] == canvas["id"]]
    if len(same) == 1 and _letters(people[same[0]]["Student"]) == _letters(canvas["name"]):
        return same[0], ""
    if same:
        return None, f"the row with ID {canvas['id']} is of {people[same[0]]['Student']}, which is another name"
    return None, "no row has it as ID, SIS User ID or SIS Login ID"


def _letters(name: str) -> str:
    """A name as Canvas puts it before a file: small letters and digits only; accents aside."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


def _put(grid: Grid, row: int, column: int, value: str) -> None:
    """Fill one field, quoted as it was; a row that is too short gets what is missing before its end."""
    raw, stops = grid.rows[row], grid.ends[row]
    separator = next(stop for stops in grid.ends for stop in stops)
    while len(raw) <= column:
        raw.append("")
        stops.insert(len(stops) - 1, separator)
    quoted = raw[column].startswith('"')
    raw[column] = f'"{value}"' if quoted else value
