"""The roll: everything known about a class's submissions of one assignment, from what grading left behind."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from autograder.batch import autograded_path
from autograder.course import Course
from autograder.gradebook import student_key
from autograder.late import late_result
from autograder.ledger import Ledger, fingerprint
from autograder.places import CourseError
from autograder.results import Marks, Results, SubmissionResult
from autograder.scores import Scores, StudentScores, read_scores
from autograder.submissions import Handed, handed_in, timestamp_of


@dataclass(frozen=True)
class Row:
    """One submission. `isolation` is the sentence it was graded with, `early` how long before the date due it came (None: not known),
    `attempts` how many notebooks were handed in (0: not known), `answers` the student's code by exercise, `submission` the mark of the
    bytes that were graded, `version` that of all else that the grade depends on, `stale` whether other bytes lie there by now."""

    result: SubmissionResult
    isolation: str = ""
    kit_version: str = ""
    submission: str = ""
    version: str = ""
    early: timedelta | None = None
    attempts: int = 0
    stale: bool = False
    answers: dict[str, str] = field(default_factory=dict)

    @property
    def student(self) -> str:
        """The student's id."""
        return self.result.student


@dataclass(frozen=True)
class Roll:
    """A class: its rows by student, who was not graded yet, what the gradebook says, and when it was due."""

    assignment: str
    rows: list[Row]
    ungraded: list[str]
    scores: Scores
    due: datetime | None = None


def read_roll(root: Path, course: Course, assignment: str, results: Path | None = None) -> Roll:
    """The roll of what was graded last, or of a results document. Raises `CourseError` where there is nothing to report."""
    due = course.assignment(assignment).due
    handed = {one.student: one for one in handed_in(root, assignment)}
    ungraded: list[str] = []
    if results is not None:
        document = read_results(results, assignment)
        marks = document.marks or Marks(kit="", seeded="", all="", submissions={})
        sentence = f"isolation level {document.isolation}" + (f" ({document.missing})" if document.missing else "")
        rows = [_row(root, handed.get(one.student) or _absent(root, one.student, assignment), one, due, isolation=sentence,
                     kit_version=document.kit_version, submission=marks.submissions.get(one.student, ""), version=marks.all)
                for one in document.submissions]
    else:
        ledger, rows, scores = Ledger(root / ".autograder" / "graded" / assignment, ""), [], read_scores(course, assignment).students
        for one in handed.values():
            entry = ledger.entry(one)
            if entry is None:
                ungraded.append(one.student)
            else:
                rows.append(_row(root, one, _with_lateness(course, one, entry.result, scores.get(student_key(one.student))), due, submission=entry.submission, version=entry.version))
    if not rows:
        raise CourseError(f"nothing of {assignment} was graded here yet; do that first with: autograder grade {assignment}")
    return Roll(assignment, sorted(rows, key=lambda row: row.student), ungraded, read_scores(course, assignment), due)


def _with_lateness(course: Course, handed: Handed, result: SubmissionResult, scores: StudentScores | None) -> SubmissionResult:
    """The result with what lateness costs by now, as the gradebook has it."""
    if scores is None:
        return result
    late = late_result(course, handed.assignment, student_key(handed.student), timestamp_of(handed), scores.machine + scores.hand)
    return result.model_copy(update={"late": late})


def read_results(path: Path, assignment: str) -> Results:
    """A results document. Raises `CourseError` when it is none, or of another assignment."""
    try:
        document = Results.model_validate_json(path.read_bytes())
    except OSError as error:
        raise CourseError(f"{path}: cannot be read ({error.strerror}); give the file that autograder grade wrote with --json") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise CourseError(
            f"{path}: no results document of this kit ({'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg'].lower()}); "
            f"make one with: autograder grade {assignment} --json {path.name}"
        ) from error
    if document.assignment != assignment:
        raise CourseError(f"{path}: holds results of {document.assignment}, not of {assignment}")
    return document


def _absent(root: Path, student: str, assignment: str) -> Handed:
    return Handed(student, assignment, root / "submitted" / student / assignment)


def _row(root: Path, handed: Handed, result: SubmissionResult, due: datetime | None, *, submission: str, version: str,
         isolation: str = "", kit_version: str = "") -> Row:
    notebook = _autograded(autograded_path(root, handed))
    said = notebook.get("metadata", {}).get("autograder", {})
    when = timestamp_of(handed)
    early = due - when.replace(tzinfo=timezone.utc) if due and when else None
    stale = bool(submission) and handed.folder.is_dir() and fingerprint(handed) != submission
    return Row(result, isolation or said.get("isolation", ""), kit_version or said.get("kit_version", ""), submission, version, early,
               _attempts(root, handed), stale, _answers(notebook))


def _autograded(path: Path) -> dict[str, Any]:
    """The autograded notebook, which the kit wrote; nothing where there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _answers(notebook: dict[str, Any]) -> dict[str, str]:
    cells = [cell for cell in notebook.get("cells", []) if cell["metadata"].get("autograder", {}).get("kind") == "solution"]
    return {cell["metadata"]["nbgrader"]["grade_id"]: cell["source"] for cell in cells}


def _attempts(root: Path, handed: Handed) -> int:
    """How many different notebooks the student sent, as `autograder collect` kept them."""
    folder = root / "collected" / handed.assignment / handed.student
    if not folder.is_dir():
        return 0
    return len({path.name.partition("-")[0] for path in folder.iterdir() if path.suffix.lower() in (".ipynb", ".py")})


def waits_for_a_person(roll: Roll, student: str) -> bool:
    """Whether a question of this student's still has no score by hand."""
    one = roll.scores.students.get(student_key(student))
    return one is not None and one.waiting
