"""Feedback pages, made by nbgrader's own converter from the autograded notebooks and the gradebook."""

from __future__ import annotations

import io
import logging
from pathlib import Path

from autograder.course import Course
from autograder.submissions import Handed


def write_feedback(root: Path, course: Course, handed: Handed) -> Path:
    """Write ``feedback/<student>/<assignment>/<assignment>.html`` as ``nbgrader generate_feedback --force`` does."""
    from nbgrader.converters import GenerateFeedback
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config
    config = Config()
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.course_id = course.course
    config.CourseDirectory.db_url = course.db_url
    config.CourseDirectory.assignment_id = handed.assignment
    config.CourseDirectory.student_id = handed.student
    config.BaseConverter.force = True
    logger = logging.Logger("autograder.feedback", level=logging.ERROR)
    logger.addHandler(logging.StreamHandler(io.StringIO()))
    GenerateFeedback(coursedir=CourseDirectory(config=config), config=config, log=logger).start()
    return root / "feedback" / handed.student / handed.assignment / f"{handed.assignment}.html"
