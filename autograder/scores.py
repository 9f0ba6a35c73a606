"""Scores: what the gradebook holds of one assignment, with manual scores and late deductions, read in a few queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autograder.course import Course
from autograder.gradebook import open_gradebook
from autograder.imports import nbgrader_api


@dataclass
class StudentScores:
    """One student's: `total` counts (late deduction taken off), `machine` and `hand` are its parts, `cells` by exercise or question.

    waiting: whether something still waits for a person, whose points are missing in the total.
    """

    machine: float = 0.0
    hand: float = 0.0
    late: float = 0.0
    waiting: bool = False
    cells: dict[str, float | None] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """The score that counts, as nbgrader's own export has it."""
        return max(0.0, self.machine + self.hand - self.late)


@dataclass
class Scores:
    """One assignment's: the most there is to have, in all and by cell, and every student of the gradebook (None: nothing handed in)."""

    most: float
    cells: dict[str, float]
    students: dict[str, StudentScores | None]


def read_scores(course: Course, assignment: str) -> Scores:
    """The gradebook's scores of an assignment; nothing in all where it was not graded yet."""
    with open_gradebook(course) as gradebook:
        api = nbgrader_api()
        try:
            notebook = gradebook.find_notebook(assignment, assignment)
        except api.MissingEntry:
            return Scores(0.0, {}, {})
        cells = {cell.name.removesuffix("-checks"): cell.max_score for cell in sorted(notebook.grade_cells, key=_place(notebook))}
        students: dict[str, StudentScores | None] = {student.id: None for student in gradebook.students}
        for student, notebook_id, penalty in gradebook.db.query(
                api.SubmittedAssignment.student_id, api.SubmittedNotebook.id, api.SubmittedNotebook.late_submission_penalty).join(
                api.SubmittedNotebook.assignment).filter(api.SubmittedNotebook.notebook_id == notebook.id):
            students[student] = _one(gradebook, api, notebook_id, penalty or 0.0)
        return Scores(sum(cells.values()), cells, students)


def _place(notebook: Any) -> Any:
    order = {cell.name: number for number, cell in enumerate(notebook.source_cells)}
    return lambda cell: (order.get(cell.name, len(order)), cell.name)


def _one(gradebook: Any, api: Any, notebook_id: str, penalty: float) -> StudentScores:
    one = StudentScores(late=penalty)
    for name, score, manual, extra, waits in gradebook.db.query(
            api.BaseCell.name, api.Grade.auto_score, api.Grade.manual_score, api.Grade.extra_credit, api.Grade.needs_manual_grade).join(
            api.Grade.cell).filter(api.Grade.notebook_id == notebook_id):
        by_hand, given = manual is not None, score if manual is None else manual
        one.cells[name.removesuffix("-checks")] = None if given is None else given + (extra or 0.0)
        one.machine += 0.0 if by_hand or given is None else given
        one.hand += (manual if by_hand else 0.0) + (extra or 0.0 if given is not None else 0.0)
        one.waiting = one.waiting or bool(waits)
    return one
