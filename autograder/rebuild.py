"""Rebuilding: the notebook that runs is the course's, with only the student's own code and answers put in.

What had to be repaired is said in one line each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autograder.blueprint import ANSWER, CHECKS, PROSE, SKIPPED, SOLUTION, Blueprint, CourseCell
from autograder.celltext import code_in_markdown, defined_names, is_stub, same_code, without_html
from autograder.matching import matched
from autograder.notebook import Submission, SubmittedCell
from autograder.places import another_assignment

COURSE, STUDENT = "course", "student"


@dataclass
class Cell:
    """One cell of the rebuilt notebook. `label` is how a message names it; `checks` the exercises checked after it.

    submitted_as: the type of a cell of the student's own when it was handed in.
    """

    kind: str
    cell_type: str
    source: str
    cell_id: str
    metadata: dict[str, Any]
    origin: str
    label: str
    checks: tuple[str, ...] = ()
    submitted_as: str = ""

    @property
    def runs(self) -> bool:
        """Whether grading executes it (figures, experiments and check cells are not executed)."""
        return self.cell_type == "code" and self.kind not in (*SKIPPED, CHECKS) and bool(self.source.strip())


@dataclass
class Rebuilt:
    """The rebuilt notebook. `attempted` says for each exercise whether anything was handed in for it; `another` is the assignment of which
    this is the notebook, where it is another's."""

    cells: list[Cell]
    metadata: dict[str, Any]
    remarks: list[str] = field(default_factory=list)
    attempted: dict[str, bool] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    another: str = ""


def rebuild(blueprint: Blueprint, submission: Submission) -> Rebuilt:
    """Put the student's code and answers into the course's notebook."""
    from autograder.defining import settle
    rebuilt = Rebuilt([], blueprint.metadata, list(submission.remarks))
    rebuilt.another = another_assignment([cell.grade_id for cell in submission.cells if cell.grade_id], blueprint.assignment)
    if rebuilt.another:
        rebuilt.remarks.append(f"This is the notebook of {rebuilt.another}; that of {blueprint.assignment} was asked for.")
    match = matched(blueprint, submission, rebuilt.remarks)
    for extra_at_top in match.extras:
        if extra_at_top[0] == "":
            _add_extra(rebuilt, extra_at_top[1])
    for course_cell in blueprint.cells:
        copies = match.course.get(course_cell.cell_id, [])
        _add_course_cell(rebuilt, course_cell, copies)
        for anchor, extra in match.extras:
            if anchor == course_cell.cell_id:
                _add_extra(rebuilt, extra)
    settle(rebuilt, blueprint)
    return rebuilt


def _add_course_cell(rebuilt: Rebuilt, course: CourseCell, copies: list[SubmittedCell]) -> None:
    if course.kind == SOLUTION:
        _add_solution(rebuilt, course, copies)
    elif course.kind == ANSWER:
        _report_answer(rebuilt, course, copies)
        texts = dict.fromkeys(copy.source for copy in copies if copy.source.strip() != course.source.strip())
        text = without_html("\n\n".join(_cleaned(text, f"The answer {course.grade_id}", rebuilt.remarks) for text in texts))
        _append(rebuilt, course, text or course.source, STUDENT, f"the answer {course.grade_id}")
    else:
        _report_edits(rebuilt, course, copies)
        _append(rebuilt, course, course.source, COURSE, f"the course's cell {course.grade_id or course.cell_id}")
        if course.kind == CHECKS:
            rebuilt.cells[-1].checks = (course.exercise,)


def _report_answer(rebuilt: Rebuilt, course: CourseCell, copies: list[SubmittedCell]) -> None:
    name = course.grade_id
    if not copies:
        rebuilt.remarks.append(f"The answer cell {name} was missing; the empty one from the course was put in its place.")
    elif len(copies) > 1:
        rebuilt.remarks.append(f"The answer cell {name} was there {len(copies)} times; what differs was put together.")
    _report_type(rebuilt, f"The answer cell {name}", course, copies, "its text was taken")
    if any(copy.attachments for copy in copies):
        rebuilt.remarks.append(f"The answer {name} has a picture attached, which is not shown here; look at it in the notebook handed in.")


def _report_type(rebuilt: Rebuilt, what: str, course: CourseCell, copies: list[SubmittedCell], done: str) -> None:
    for kind in dict.fromkeys(copy.cell_type for copy in copies if copy.cell_type not in ("", course.cell_type)):
        rebuilt.remarks.append(f"{what} had become a {kind} cell; {done}.")


def _add_solution(rebuilt: Rebuilt, course: CourseCell, copies: list[SubmittedCell]) -> None:
    name = course.exercise
    if not copies:
        rebuilt.remarks.append(f"The cell of {name} was missing; the empty one from the course was put in its place.")
    texts = [_cleaned(copy.source, f"Cell {copy.number}", rebuilt.remarks) for copy in copies]
    texts = [text if copy.cell_type in ("code", "") else code_in_markdown(text) for copy, text in zip(copies, texts)]
    if len(texts) > 1:
        rebuilt.remarks.append(f"There are {len(texts)} cells for {name}; they were run in order, so the last definition counts.")
        texts = [text for text in texts if not same_code(text, course.source)] or texts[:1]
    _report_type(rebuilt, f"The cell of {name}", course, copies, "it was run as code")
    if any(not copy.source.strip() for copy in copies):
        rebuilt.remarks.append(f"The cell of {name} is empty.")
    rebuilt.attempted[name] = any(text.strip() and not same_code(text, course.source) and not is_stub(text, course.source) for text in texts)
    _append(rebuilt, course, texts[0] if texts else course.source, STUDENT, f"the cell of {name}")
    for number, text in enumerate(texts[1:], 2):
        rebuilt.cells.append(Cell(PROSE, "code", text, f"{course.cell_id}-copy-{number}", {}, STUDENT, f"cell {number} of {name}"))


def _append(rebuilt: Rebuilt, course: CourseCell, source: str, origin: str, label: str) -> None:
    rebuilt.cells.append(Cell(course.kind, course.cell_type, source, course.cell_id, course.metadata, origin, label))


def _report_edits(rebuilt: Rebuilt, course: CourseCell, copies: list[SubmittedCell]) -> None:
    if not course.grade_id or rebuilt.another:
        return
    name = course.grade_id
    what = f"The {'check' if course.kind == CHECKS else 'locked'} cell {name}"
    if not copies:
        rebuilt.remarks.append(f"{what} was missing; it was restored.")
    elif len(copies) > 1:
        rebuilt.remarks.append(f"{what} was there {len(copies)} times; the course's own counts once.")
    _report_type(rebuilt, what, course, copies, "the course's own was used")
    for copy in copies:
        if copy.source.strip() == course.source.strip():
            continue
        if course.kind == CHECKS and course.exercise in defined_names(copy.source):
            rebuilt.remarks.append(f"{what} holds a definition of {course.exercise}: answers belong in the cell above "
                                   "it. The check cell was restored, and what was written in it is not graded.")
        else:
            rebuilt.remarks.append(f"{what} was edited; the course's own text was used.")


def _cleaned(text: str, what: str, remarks: list[str]) -> str:
    for mark, name in (("\ufeff", "a byte-order mark"), ("\0", "a NUL character")):
        if mark in text:
            text = text.replace(mark, "")
            remarks.append(f"{what} holds {name}; it was removed.")
    return text


def _add_extra(rebuilt: Rebuilt, cell: SubmittedCell) -> None:
    kind = "code" if cell.cell_type in ("code", "") else "markdown"
    number = sum(c.cell_id.startswith("own-") for c in rebuilt.cells) + 1
    text = _cleaned(cell.source, f"Cell {cell.number}", rebuilt.remarks)
    text = text if kind == "code" else without_html(text)
    rebuilt.cells.append(Cell(PROSE, kind, text, f"own-{number}", {}, STUDENT, f"cell {cell.number}", submitted_as=cell.cell_type))
