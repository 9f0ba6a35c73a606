"""The rows of one submission in nbgrader's tables: written whole in a few statements, the same whoever writes them and however often."""

from __future__ import annotations

import hashlib
from datetime import datetime
from functools import lru_cache
from typing import Any

from autograder.autograded import comments, first_commented, with_lateness
from autograder.blueprint import Blueprint
from autograder.course import Course
from autograder.imports import nbgrader_api
from autograder.late import extension_of, late_result
from autograder.results import LateResult, SubmissionResult


def store(course: Course, blueprint: Blueprint, result: SubmissionResult, when: datetime | None, connection: Any, *,
          isolation: str) -> LateResult | None:
    """Write the automatic scores and comments and the late penalty. Returns what was taken off."""
    student = student_key(result.student)
    connection.execute(_upsert(connection.dialect.name, "Student", ("id",)), {"id": student})
    cells = connection.execute(_cells(), {"assignment": blueprint.assignment}).all()
    submission = _submission(connection, cells[0].assignment_id, student, when, extension_of(course, blueprint.assignment, student))
    notebook = connection.scalar(_upsert(connection.dialect.name, "SubmittedNotebook", ("notebook_id", "assignment_id")), {
        "id": _new(), "notebook_id": cells[0].notebook_id, "assignment_id": submission.id, "flagged": False})
    _put_scores(connection, notebook, cells, result)
    late = late_result(course, blueprint.assignment, student, submission.timestamp, connection.scalar(_total(), {"notebook": notebook}))
    said = with_lateness(comments(blueprint, result, isolation), late)
    connection.execute(_upsert(connection.dialect.name, "Comment", ("cell_id", "notebook_id"), ("auto_comment",)), [
        {"id": _new(), "cell_id": cell.id, "notebook_id": notebook, "auto_comment": said[cell.name]} for cell in cells if cell.type == "SolutionCell"])
    connection.execute(_set_penalty(), {"notebook": notebook, "penalty": penalty_stored(late)})
    return late


def penalty_stored(late: LateResult | None) -> float | None:
    """What the gradebook holds as penalty: nothing at all where nothing is taken off, as nbgrader has it."""
    return late.penalty or None if late else None


def _new() -> str:
    return nbgrader_api().new_uuid()


def _submission(connection: Any, assignment: str, student: str, when: datetime | None, extension: Any) -> Any:
    values = {"id": _new(), "assignment_id": assignment, "student_id": student, "extension": extension}
    values |= {"timestamp": when} if when else {}  # without one, that of before stays, as nbgrader has it
    changed = tuple(values)[3:]
    return connection.execute(_upsert(connection.dialect.name, "SubmittedAssignment", ("assignment_id", "student_id"), changed), values).one()


def _put_scores(connection: Any, notebook: str, cells: list, result: SubmissionResult) -> None:
    scores = {f"{exercise.name}-checks": exercise.score for exercise in result.exercises}
    scores |= {written.name: None if written.answered else 0.0 for written in result.written}
    connection.execute(_upsert(connection.dialect.name, "Grade", ("cell_id", "notebook_id"), ("auto_score",)), [
        {"id": _new(), "cell_id": cell.id, "notebook_id": notebook, "auto_score": scores[cell.name], "needs_manual_grade": scores[cell.name] is None}
        for cell in cells if cell.type == "GradeCell"])


@lru_cache
def _upsert(dialect: str, model: str, keys: tuple[str, ...], changed: tuple[str, ...] = ()) -> Any:
    """An insert that, where a row with these `keys` is there, sets what `changed` names (or nothing), and returns the row's id."""
    from sqlalchemy.dialects import postgresql, sqlite
    api = nbgrader_api()
    table = getattr(api, model).__table__
    statement = (postgresql if dialect == "postgresql" else sqlite).insert(table)
    new = {name: statement.excluded[name] for name in changed or keys[:1]}  # setting a key to itself changes nothing, and finds the row
    if model == "Grade":
        new["needs_manual_grade"] = table.c.manual_score.is_not(None) | statement.excluded.auto_score.is_(None)
    statement = statement.on_conflict_do_update(index_elements=list(keys), set_=new)
    if model == "SubmittedAssignment":
        return statement.returning(table.c.id, table.c.timestamp)
    return statement.returning(table.c.id) if model == "SubmittedNotebook" else statement


@lru_cache
def _cells() -> Any:
    from sqlalchemy import bindparam, select
    api = nbgrader_api()
    assignments, notebooks, cells = (kind.__table__ for kind in (api.Assignment, api.Notebook, api.BaseCell))
    name = bindparam("assignment")
    return (select(assignments.c.id.label("assignment_id"), notebooks.c.id.label("notebook_id"), cells.c.id, cells.c.name, cells.c.type)
            .join_from(assignments, notebooks, notebooks.c.assignment_id == assignments.c.id).join(cells, cells.c.notebook_id == notebooks.c.id)
            .where(assignments.c.name == name, notebooks.c.name == name))


@lru_cache
def _total() -> Any:
    from sqlalchemy import bindparam, func, select
    Grade = nbgrader_api().Grade
    return select(func.coalesce(func.sum(Grade.score), 0.0)).where(Grade.notebook_id == bindparam("notebook"))


@lru_cache
def _set_penalty() -> Any:
    from sqlalchemy import bindparam, update
    notebooks = nbgrader_api().SubmittedNotebook.__table__
    return update(notebooks).where(notebooks.c.id == bindparam("notebook")).values(late_submission_penalty=bindparam("penalty"))


def refresh(course: Course, blueprint: Blueprint, kept: dict[str, SubmissionResult], connection: Any, *,
            isolation: str) -> tuple[dict[str, LateResult | None], set[str]]:
    """Bring extensions, penalties and their reasons up to date with ``course.yaml`` and with what a person gave since.

    `kept` are results by student's key. Returns what is taken off each, and those for whom anything changed.
    """
    noted = first_commented(blueprint)
    said: dict[str, LateResult | None] = {}
    changed: set[str] = set()
    for row in connection.execute(_late_rows(), {"assignment": blueprint.assignment, "noted": noted}).all():
        if row.student_id not in kept:
            continue
        extension = extension_of(course, blueprint.assignment, row.student_id)
        late = said[row.student_id] = late_result(course, blueprint.assignment, row.student_id, row.timestamp, row.total)
        comment = with_lateness({noted: comments(blueprint, kept[row.student_id], isolation)[noted]}, late)[noted]
        if (row.extension, row.late_submission_penalty, row.auto_comment) != (extension, penalty_stored(late), comment):
            changed.add(row.student_id)
            _set_lateness(connection, row, extension, penalty_stored(late), comment)
    return said, changed


def _set_lateness(connection: Any, row: Any, extension: Any, penalty: float | None, comment: str | None) -> None:
    from sqlalchemy import update
    api = nbgrader_api()
    submissions, said = api.SubmittedAssignment.__table__, api.Comment.__table__
    connection.execute(update(submissions).where(submissions.c.id == row.submission_id).values(extension=extension))
    connection.execute(_set_penalty(), {"notebook": row.notebook_id, "penalty": penalty})
    connection.execute(update(said).where(said.c.id == row.comment_id).values(auto_comment=comment))


@lru_cache
def _late_rows() -> Any:
    """A row for each submission of an assignment: what its penalty depends on, and what is stored of it."""
    from sqlalchemy import bindparam, func, select
    api = nbgrader_api()
    totals = (select(api.Grade.notebook_id, func.sum(api.Grade.score).label("total")).group_by(api.Grade.notebook_id).subquery())
    return (select(api.SubmittedAssignment.student_id, api.SubmittedAssignment.id.label("submission_id"), api.SubmittedAssignment.timestamp,
                   api.SubmittedAssignment.extension, api.SubmittedNotebook.id.label("notebook_id"), api.Comment.id.label("comment_id"),
                   api.SubmittedNotebook.late_submission_penalty, api.Comment.auto_comment, totals.c.total)
            .join(api.Assignment, api.Assignment.id == api.SubmittedAssignment.assignment_id)
            .join(api.SubmittedNotebook, api.SubmittedNotebook.assignment_id == api.SubmittedAssignment.id)
            .join(totals, totals.c.notebook_id == api.SubmittedNotebook.id)
            .join(api.Comment, api.Comment.notebook_id == api.SubmittedNotebook.id)
            .join(api.SolutionCell, api.SolutionCell.id == api.Comment.cell_id)
            .where(api.Assignment.name == bindparam("assignment"), api.SolutionCell.name == bindparam("noted"))
            .order_by(api.SubmittedAssignment.student_id))  # two who do this at once lock in one order


def student_key(student: str) -> str:
    """The student's id as the gradebook can hold it: the folder's name, shortened past 128 characters, valid text."""
    student = student.encode("utf-8", "replace").decode("utf-8")
    return student if len(student) <= 128 else f"{student[:111]}~{hashlib.sha256(student.encode()).hexdigest()[:16]}"
