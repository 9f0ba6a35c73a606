"""nbgrader's gradebook: its tables, the assignment's cells and each submission's rows, as nbgrader itself would store them.

What one submission needs is one transaction of a few statements; nbgrader's own way costs forty times that and gives the same rows.
Manual scores and comments that a person gave are never touched.
"""

from __future__ import annotations

import contextlib
import json
import os
import sysconfig
import warnings
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from typing import Any, Callable, Iterator, TypeVar

from autograder.blueprint import ANSWER, CHECKS, GIVEN, SKIPPED, SOLUTION, Blueprint, CourseCell
from autograder.course import Course
from autograder.database import engine_of, in_short, once, patiently, shown
from autograder.imports import nbgrader_api
from autograder.places import CourseError
from autograder.results import LateResult, SubmissionResult
from autograder.rows import store, student_key  # noqa: F401 - part of this module's vocabulary

T = TypeVar("T")


@dataclass(frozen=True)
class Gradebook:
    """A course's gradebook, open."""

    course: Course
    engine: Any

    def do(self, action: Callable[[Any], T], *, alone: bool = False) -> T:
        """``action(connection)`` in one transaction, waiting for a database that is locked or away."""
        with self.explained():
            return patiently(self.engine, action, wait=self.course.gradebook_wait_seconds, alone=alone)

    def do_now(self, action: Callable[[Any], T]) -> T:
        """The same without waiting. Raises `autograder.database.Away`."""
        with self.explained():
            return once(self.engine, action)

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Any other error of the database as a `CourseError` that says what mends it."""
        from sqlalchemy.exc import SQLAlchemyError
        try:
            yield
        except SQLAlchemyError as error:
            raise CourseError(f"the gradebook {shown(self.course.db_url)} cannot be used ({in_short(error)}); correct db_url in course.yaml, or "
                              "move the damaged gradebook away, and grade again (what was graded is kept)") from error


@contextlib.contextmanager
def alembic_on_path() -> Iterator[None]:
    """nbgrader runs ``alembic`` when it makes a database: let it find the one installed beside it."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = sysconfig.get_path("scripts") + os.pathsep + before
    try:
        yield
    finally:
        os.environ["PATH"] = before


@contextlib.contextmanager
def open_gradebook(course: Course) -> Iterator[Gradebook]:
    """The course's gradebook, made when it does not exist. Raises `CourseError` when the database cannot be used."""
    nbgrader_api()
    from sqlalchemy.exc import SAWarning
    warnings.filterwarnings("ignore", category=SAWarning)  # nbgrader's own models cause three
    gradebook = Gradebook(course, engine_of(course.db_url))
    try:
        if not gradebook.do(partial(_is_there, course)):
            gradebook.do(partial(_make, course), alone=True)
        yield gradebook
    finally:
        gradebook.engine.dispose()


def _is_there(course: Course, connection: Any) -> bool:
    from sqlalchemy import inspect, select
    Courses = nbgrader_api().Course.__table__
    there = inspect(connection).has_table("alembic_version") and inspect(connection).has_table(Courses.name)
    return there and connection.scalar(select(Courses.c.id).where(Courses.c.id == course.course)) is not None


def _make(course: Course, connection: Any) -> None:
    """All tables, nbgrader's note of their version and the course, in one transaction: two who begin at once do not meet half of it."""
    from alembic.script import ScriptDirectory
    from nbgrader.dbutil import ALEMBIC_DIR
    from sqlalchemy import insert, inspect, text
    api = nbgrader_api()
    api.Base.metadata.create_all(connection)
    if not inspect(connection).has_table("alembic_version"):
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": ScriptDirectory(ALEMBIC_DIR).get_current_head()})
    if not _is_there(course, connection):
        connection.execute(insert(api.Course.__table__).values(id=course.course))


def ensure_assignment(gradebook: Gradebook, blueprint: Blueprint, course: Course) -> None:
    """Put the assignment's cells into the gradebook, as ``nbgrader generate_assignment`` does.

    Raises `CourseError` when cells were added or removed although there are grades for the old ones.
    """
    gradebook.do(partial(_ensure, blueprint, course), alone=True)


def _ensure(blueprint: Blueprint, course: Course, connection: Any) -> None:
    from sqlalchemy import select
    from sqlalchemy.orm import Session
    api = nbgrader_api()
    with Session(connection) as session:
        assignment = session.scalar(select(api.Assignment).where(api.Assignment.name == blueprint.assignment))
        if assignment is None:
            assignment = api.Assignment(name=blueprint.assignment, course_id=course.course)
            session.add(assignment)
        assignment.duedate = _due(blueprint, course)
        if assignment.duedate is None:
            for submission in assignment.submissions:
                submission.extension = None  # nbgrader cannot add one to no date
        notebook = _notebook(session, assignment, blueprint)
        for cell in blueprint.cells:
            _put_cell(session, notebook, cell)
        session.commit()


def _due(blueprint: Blueprint, course: Course) -> datetime | None:
    due = course.assignment(blueprint.assignment).due
    return due.astimezone(timezone.utc).replace(tzinfo=None) if due else None


def _notebook(session: Any, assignment: Any, blueprint: Blueprint) -> Any:
    name = blueprint.assignment
    notebook = next((notebook for notebook in assignment.notebooks if notebook.name == name), None)
    if notebook is not None:
        old = {cell.name for cell in notebook.source_cells}
        new = {cell.grade_id for cell in blueprint.cells if cell.grade_id}
        if old == new:
            return notebook
        if notebook.submissions:
            raise CourseError(f"the gradebook holds grades for {name} with other cells ({', '.join(sorted(old ^ new)[:5])}); keep them by "
                              "moving gradebook.db away before you grade the changed assignment")
        for cell in [*notebook._base_cells, *notebook.source_cells]:
            session.delete(cell)
        session.flush()
        session.delete(notebook)
        session.flush()
    notebook = nbgrader_api().Notebook(name=name, assignment=assignment, kernelspec=json.dumps(blueprint.metadata.get("kernelspec", {})))
    session.add(notebook)
    return notebook


def _put_cell(session: Any, notebook: Any, cell: CourseCell) -> None:
    api = nbgrader_api()
    if cell.kind in (CHECKS, ANSWER):
        _put(session, api.GradeCell, notebook.grade_cells, notebook, cell.grade_id, max_score=cell.points, cell_type=cell.cell_type)
    if cell.kind in (SOLUTION, ANSWER):
        _put(session, api.SolutionCell, notebook.solution_cells, notebook, cell.grade_id)
    if cell.grade_id:
        _put(session, api.SourceCell, notebook.source_cells, notebook, cell.grade_id, cell_type=cell.cell_type, source=cell.source,
             locked=_locked(cell), checksum=cell.metadata["nbgrader"].get("checksum"))


def _put(session: Any, kind: type, there: list, notebook: Any, name: str, **values: Any) -> None:
    found = next((one for one in there if one.name == name), None)
    if found is None:
        session.add(kind(name=name, notebook=notebook, **values))
    else:
        for key, value in values.items():
            setattr(found, key, value)


def _locked(cell: CourseCell) -> bool:
    return cell.kind in (CHECKS, GIVEN, *SKIPPED)


def up_to_date(gradebook: Gradebook, blueprint: Blueprint, course: Course) -> bool:
    """Whether the gradebook already knows this very version of the assignment."""
    return gradebook.do(partial(_up_to_date, blueprint, course))


def _up_to_date(blueprint: Blueprint, course: Course, connection: Any) -> bool:
    from sqlalchemy import select
    api = nbgrader_api()
    assignments, notebooks, cells, grades = (kind.__table__ for kind in (api.Assignment, api.Notebook, api.BaseCell, api.GradeCell))
    found = connection.execute(select(assignments.c.duedate, notebooks.c.id).join_from(assignments, notebooks).where(
        assignments.c.name == blueprint.assignment, notebooks.c.name == blueprint.assignment)).first()
    if found is None or found.duedate != _due(blueprint, course):
        return False
    sources = api.SourceCell.__table__
    known = dict(connection.execute(select(sources.c.name, sources.c.source).where(sources.c.notebook_id == found.id)).tuples().all())
    points = dict(connection.execute(select(cells.c.name, grades.c.max_score).join_from(cells, grades, cells.c.id == grades.c.id)
                                     .where(cells.c.notebook_id == found.id)).tuples().all())
    return (known == {cell.grade_id: cell.source for cell in blueprint.cells if cell.grade_id}
            and points == {cell.grade_id: cell.points for cell in blueprint.cells if cell.kind in (CHECKS, ANSWER)})


def record(gradebook: Gradebook, blueprint: Blueprint, result: SubmissionResult, when: datetime | None, *, isolation: str) -> LateResult | None:
    """Store one submission's automatic scores and comments and its late penalty, in one transaction; returns what was taken off."""
    return gradebook.do(partial(store, gradebook.course, blueprint, result, when, isolation=isolation))


def students_with_grades(gradebook: Gradebook, assignment: str) -> set[str]:
    """The students (by key) whose submission the gradebook holds."""
    from sqlalchemy import select
    api = nbgrader_api()
    submissions, assignments = api.SubmittedAssignment.__table__, api.Assignment.__table__
    asked = select(submissions.c.student_id).join_from(submissions, assignments).where(assignments.c.name == assignment)
    return set(gradebook.do(lambda connection: connection.scalars(asked).all()))


def graded_by_hand(gradebook: Gradebook, assignment: str) -> set[str]:
    """The students (by key) to whom a person gave a score or a comment."""
    from sqlalchemy import select, union
    api = nbgrader_api()
    here = select(api.SubmittedAssignment.student_id).join(api.Assignment).join(api.SubmittedNotebook).where(api.Assignment.name == assignment)
    asked = union(here.join(api.Grade).where(api.Grade.manual_score.is_not(None)), here.join(api.Comment).where(api.Comment.manual_comment != ""))
    return set(gradebook.do(lambda connection: connection.scalars(asked).all()))
