"""Checking one notebook file, by a student (public checks) or by staff in the course's folder (all checks)."""

from __future__ import annotations

from pathlib import Path

from autograder.assignment import public_exercises
from autograder.box import Box
from autograder.course import find_root, read_course
from autograder.grader import make_desk_grader, make_grader
from autograder.notebook import Submission, Unreadable, read_submission
from autograder.places import CourseError, assignments, has_staff_half
from autograder.results import Results
from autograder.submissions import Found


def check_file(path: Path, *, least: str | None = None, box: Box | None = None) -> Results:
    """The results document of one notebook. Raises `CourseError` when it belongs to no assignment of this kit.

    box: one that was started before, for a student's checks; it is left open.
    """
    found = read_found(path)
    assignment = assignment_of(path, found)
    root = find_root(path.resolve().parent) or find_root()
    if has_staff_half(assignment, root):
        grader = make_grader(read_course(root / "course.yaml"), root, assignment, least=least)
    else:
        grader = make_desk_grader(assignment, found.submission or Submission([]), box=box)
    try:
        result = grader.grade(path.stem, found).result
        return Results(assignment=assignment, isolation=grader.box.level, missing=grader.box.missing, canaries=grader.box.canaries,
                       submissions=[result])
    finally:
        if grader.box is not box:
            grader.close()


def for_students(path: Path) -> bool:
    """Whether only public checks are run on this notebook: there are no staff's files of its course."""
    return not has_staff_half(assignment_of(path, read_found(path)), find_root(path.resolve().parent) or find_root())


def read_found(path: Path) -> Found:
    """The notebook at a path, or why it cannot be read."""
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
