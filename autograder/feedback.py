"""Feedback pages, made by nbgrader's own converter from the autograded notebooks and the gradebook."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Callable

from autograder.batch import autograded_path
from autograder.course import Course
from autograder.gradebook import graded_by_hand, open_gradebook, student_key
from autograder.imports import without_iri_grammar
from autograder.submissions import Handed


def stale_pages(root: Path, course: Course, handed: list[Handed], *, fresh: set[str]) -> list[Handed]:
    """Those whose page is to be written: graded just now (`fresh`), without a page, or with a score or comment by hand since."""
    with open_gradebook(course) as gradebook:
        by_hand = graded_by_hand(gradebook, handed[0].assignment)
    return [h for h in handed if h.student in fresh or student_key(h.student) in by_hand
            or not (root / "feedback" / h.student / h.assignment / f"{h.assignment}.html").is_file()]


def write_feedback(root: Path, course: Course, handed: list[Handed], progress: Callable[[], None] = lambda: None) -> None:
    """Write ``feedback/<student>/<assignment>/<assignment>.html`` as ``nbgrader generate_feedback --force`` does.

    Nothing is done where `handed` is empty. One converter makes all pages; the students' folders are given to it, so that a name such as ``[x]`` is no pattern.
    """
    if not handed:
        return
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
            progress()

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

