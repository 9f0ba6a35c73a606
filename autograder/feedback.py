"""Feedback pages, made by nbgrader's own converter from the autograded notebooks and the gradebook."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Callable

from autograder.course import Course
from autograder.imports import without_iri_grammar
from autograder.submissions import Handed


def write_feedback(root: Path, course: Course, handed: list[Handed], progress: Callable[[], None] = lambda: None) -> None:
    """Write ``feedback/<student>/<assignment>/<assignment>.html`` as ``nbgrader generate_feedback --force`` does.

    One converter makes all pages; the students' folders are given to it, so that a name such as ``[x]`` is no pattern.
    """
    with without_iri_grammar():
        from nbgrader.converters import GenerateFeedback
        from nbgrader.coursedir import CourseDirectory
        from traitlets.config import Config

    class OfTheseStudents(GenerateFeedback):
        def init_notebooks(self) -> None:
            self.notebooks = []
            self.assignments = {self._format_source(h.assignment, h.student): [str(_autograded(root, h))] for h in handed}

        def set_permissions(self, assignment_id: str, student_id: str) -> None:
            super().set_permissions(assignment_id, student_id)
            progress()

    config = Config()
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.course_id = course.course
    config.CourseDirectory.db_url = course.db_url
    config.CourseDirectory.assignment_id = handed[0].assignment
    config.BaseConverter.force = True
    logger = logging.Logger("autograder.feedback", level=logging.ERROR)
    logger.addHandler(logging.StreamHandler(io.StringIO()))
    OfTheseStudents(coursedir=CourseDirectory(config=config), config=config, log=logger).start()


def _autograded(root: Path, handed: Handed) -> Path:
    return root / "autograded" / handed.student / handed.assignment / f"{handed.assignment}.ipynb"
