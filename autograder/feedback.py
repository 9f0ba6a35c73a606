"""Feedback pages, made by nbgrader's own converter from the autograded notebooks and the gradebook."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Callable

from autograder.assignment import CourseError
from autograder.course import Course
from autograder.gradebook import graded_by_hand, open_gradebook, student_key
from autograder.imports import without_iri_grammar
from autograder.submissions import Handed
from autograder.writer import autograded_path


def stale_pages(root: Path, course: Course, handed: list[Handed], *, fresh: set[str]) -> list[Handed]:
    """Those whose page is to be written: graded just now (`fresh`), without a page, or with a score or comment by hand since."""
    with open_gradebook(course) as gradebook:
        by_hand = graded_by_hand(gradebook, handed[0].assignment)
    return [h for h in handed if h.student in fresh or student_key(h.student) in by_hand
            or not (root / "feedback" / h.student / h.assignment / f"{h.assignment}.html").is_file()]


def write_feedback(root: Path, course: Course, handed: list[Handed], progress: Callable[[], None] = lambda: None) -> None:
    """Write ``feedback/<student>/<assignment>/<assignment>.html`` as ``nbgrader generate_feedback --force`` does.

    Nothing is done where `handed` is empty. One converter makes all pages; the students' folders are given to it, so that a name such as ``[x]`` is no pattern.
    Where the database goes away meanwhile it is waited for, and the pages that are left are made. Runs of the same assignment take turns.
    """
    if not handed:
        return
    from filelock import FileLock
    (root / ".autograder").mkdir(mode=0o700, exist_ok=True)
    left = {h.student: h for h in handed}

    def made(student: str) -> None:
        if left.pop(student, None):
            progress()
    with FileLock(root / ".autograder" / f"feedback-{handed[0].assignment}.lock"), open_gradebook(course) as gradebook:
        tries = 0
        while left and tries < 3:
            before = len(left)
            try:
                _convert(root, course, list(left.values()), made)
                return
            except Exception as error:  # noqa: BLE001 - nbgrader tells a lost database in several ways
                reason = error
                gradebook.do(lambda connection: None)  # waits for it, or says why not
            tries = tries + 1 if len(left) == before else 0
    raise CourseError(f"feedback pages of {', '.join(sorted(left)[:5])} could not be made ({type(reason).__name__}); "
                      f"see why with: nbgrader generate_feedback {handed[0].assignment} --force")


def _convert(root: Path, course: Course, handed: list[Handed], made: Callable[[str], None]) -> None:
    with without_iri_grammar():
        from nbgrader.converters import GenerateFeedback
        from nbgrader.coursedir import CourseDirectory
        from traitlets.config import Config

        from autograder.page import configure_pages

    class OfTheseStudents(GenerateFeedback):
        def init_notebooks(self) -> None:
            self.notebooks = []
            self.assignments = {self._format_source(h.assignment, h.student): [str(autograded_path(root, h))] for h in handed}

        def set_permissions(self, assignment_id: str, student_id: str) -> None:
            super().set_permissions(assignment_id, student_id)
            made(student_id)

    config = Config()
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.course_id = course.course
    config.CourseDirectory.db_url = course.db_url
    config.CourseDirectory.assignment_id = handed[0].assignment
    config.BaseConverter.force = True
    configure_pages(config)
    logger = logging.Logger("autograder.feedback", level=logging.ERROR)
    logger.addHandler(logging.StreamHandler(io.StringIO()))
    OfTheseStudents(coursedir=CourseDirectory(config=config), config=config, log=logger).start()

