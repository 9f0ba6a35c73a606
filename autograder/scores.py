"""Scores: what the gradebook holds of one assignment, with manual scores and late deductions, read in a few queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.course import Course
from autograder.imports import nbgrader_api
from autograder.places import CourseError


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
    """The gradebook's scores of an assignment; nothing in all where it was not graded yet. Raises `CourseError` where it cannot be read."""
    from sqlalchemy import create_engine
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError
    try:
        url = make_url(course.db_url)
        if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
            return Scores(0.0, {}, {})  # and no empty file is left there
        engine = create_engine(url)
    except (ArgumentError, ImportError) as error:
        raise CourseError(f"db_url in course.yaml cannot be used ({type(error).__name__}); "
                          "correct it, or install the database's driver") from error
    try:
        with engine.connect() as connection:
            return _read(connection, assignment)
    except SQLAlchemyError as error:
        said = str(getattr(error, "orig", None) or type(error).__name__)
        if "no such table" in said or "UndefinedTable" in str(error):
            return Scores(0.0, {}, {})
        raise CourseError(f"the gradebook {url.render_as_string()} cannot be read ({said.splitlines()[0]}); "
                          "correct db_url in course.yaml") from error
    finally:
        engine.dispose()


def _read(connection: Any, assignment: str) -> Scores:
    from sqlalchemy import select
    api = nbgrader_api()
    cell, base, notebook = api.GradeCell.__table__, api.BaseCell.__table__, api.Notebook.__table__
    source, submitted, one = api.SourceCell.__table__, api.SubmittedAssignment.__table__, api.SubmittedNotebook.__table__
    grade, task = api.Grade.__table__, api.Assignment.__table__
    of_it = base.join(notebook, base.c.notebook_id == notebook.c.id).join(task, notebook.c.assignment_id == task.c.id)
    order = list(
        connection.execute(
            select(source.c.name).select_from(of_it.join(source, source.c.id == base.c.id)).where(task.c.name == assignment)
        ).scalars()
    )
    cells = dict(connection.execute(select(base.c.name, cell.c.max_score).select_from(of_it.join(cell, cell.c.id == base.c.id)).where(
        task.c.name == assignment)).all())
    students: dict[str, StudentScores | None] = dict.fromkeys(connection.execute(select(api.Student.__table__.c.id)).scalars())
    rows = connection.execute(
        select(
            submitted.c.student_id,
            one.c.late_submission_penalty,
            base.c.name,
            grade.c.auto_score,
            grade.c.manual_score,
            grade.c.extra_credit,
            grade.c.needs_manual_grade,
        )
        .select_from(
            of_it.join(grade, grade.c.cell_id == base.c.id)
            .join(one, grade.c.notebook_id == one.c.id)
            .join(submitted, one.c.assignment_id == submitted.c.id)
        )
        .where(task.c.name == assignment)
    )
    for student, late, name, auto, manual, extra, waits in rows:
        students[student] = students[student] or StudentScores(late=late or 0.0)
        _add(students[student], name, auto, manual, extra or 0.0, bool(waits))
    ordered = sorted(cells, key=lambda name: (order.index(name) if name in order else len(order), name))
    return Scores(sum(cells.values()), {name.removesuffix("-checks"): cells[name] for name in ordered}, students)


def _add(one: StudentScores, name: str, auto: float | None, manual: float | None, extra: float, waits: bool) -> None:
    """Add one cell's grade: a person's score stands before the machine's, and extra credit counts where there is a score."""
    given = auto if manual is None else manual
    one.cells[name.removesuffix("-checks")] = None if given is None else given + extra
    one.machine += given if given is not None and manual is None else 0.0
    one.hand += (manual or 0.0) + (extra if given is not None else 0.0)
    one.waiting = one.waiting or waits
