"""Checking one notebook file, by a student (public checks) or by staff in the course's folder (all checks)."""

from __future__ import annotations

from pathlib import Path

from autograder.assignment import CourseError, assignments, has_staff_half, public_exercises
from autograder.course import Course, find_root, read_course
from autograder.grader import make_desk_grader, make_grader
from autograder.notebook import Submission, Unreadable, read_submission
from autograder.results import Results
from autograder.submissions import Found

_STUDENT_COURSE = {"course": "desk", "seed": 0, "assignments": [{"name": "desk"}]}


def check_file(path: Path, *, least: str | None = None) -> Results:
    """The results document of one notebook. Raises `CourseError` when it belongs to no assignment of this kit."""
    found = _read(path)
    assignment = assignment_of(path, found)
    root = find_root(path.resolve().parent) or find_root()
    if has_staff_half(assignment, root):
        grader = make_grader(read_course(root / "course.yaml"), root, assignment, least=least)
    else:
        course = Course.model_validate(_STUDENT_COURSE)
        grader = make_desk_grader(course, assignment, found.submission or Submission([]))
    try:
        result = grader.grade(path.stem, found).result
        return Results(assignment=assignment, isolation=grader.box.level, missing=grader.box.missing, canaries=grader.box.canaries,
                       submissions=[result])
    finally:
        grader.close()


def _read(path: Path) -> Found:
    try:
        return Found(path, read_submission(path))
    except Unreadable as error:
        return Found(path, None, str(error))


def assignment_of(path: Path, found: Found) -> str:
    """Which assignment a notebook belongs to: by the exercises in it, else by the names of the file and its folder."""
    present = {cell.grade_id.removesuffix("-checks") for cell in found.submission.cells} if found.submission else set()
    scored = {name: len(present & set(public_exercises(name))) for name in assignments()}
    best = max(scored, key=scored.get)
    if scored[best]:
        return best
    for part in (path.stem, path.resolve().parent.name):
        if part in scored:
            return part
    if found.submission is None:
        raise CourseError(f"{path}: {found.reason}")
    raise CourseError(f"{path}: holds no exercise of this kit; name the file after its assignment ({', '.join(assignments())})")
