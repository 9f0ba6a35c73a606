"""Feedback pages, made by nbgrader's own converter from the autograded notebooks and the gradebook."""

from __future__ import annotations

import io
import logging
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Callable

from autograder.course import Course
from autograder.gradebook import graded_by_hand, open_gradebook, student_key
from autograder.imports import without_iri_grammar
from autograder.launch import elsewhere
from autograder.places import CourseError
from autograder.pool import die_with
from autograder.submissions import Handed
from autograder.writer import autograded_path

APIECE = 8  # pages that a process makes before it is asked again

def stale_pages(root: Path, course: Course, handed: list[Handed], *, fresh: set[str]) -> list[Handed]:
    """Those whose page is to be written: graded just now (`fresh`), without a page, or with a score or comment by hand since."""
    with open_gradebook(course) as gradebook:
        by_hand = graded_by_hand(gradebook, handed[0].assignment)
    return [h for h in handed if h.student in fresh or student_key(h.student) in by_hand
            or not (root / "feedback" / h.student / h.assignment / f"{h.assignment}.html").is_file()]


def write_feedback(root: Path, course: Course, handed: list[Handed], progress: Callable[[], None] = lambda: None, *, workers: int = 1) -> None:
    """Write ``feedback/<student>/<assignment>/<assignment>.html`` as ``nbgrader generate_feedback --force`` does, in several processes.

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
                _convert_apart(root, course, list(left.values()), made, workers)
                return
            except Exception as error:  # noqa: BLE001 - nbgrader tells a lost database in several ways
                reason = error
                gradebook.do(lambda connection: None)  # waits for it, or says why not
            tries = tries + 1 if len(left) == before else 0
    raise CourseError(f"feedback pages of {', '.join(sorted(left)[:5])} could not be made ({type(reason).__name__}); "
                      f"see why with: nbgrader generate_feedback {handed[0].assignment} --force")


def _convert_apart(root: Path, course: Course, handed: list[Handed], made: Callable[[str], None], workers: int) -> None:
    """Make pages in so many processes, a few at a time; here where that does not pay or cannot be."""
    if workers < 2 or len(handed) <= APIECE or elsewhere():
        _convert(root, course, handed, made)
        return
    _imports()  # once, before the processes are forked
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork"), initializer=_obey, initargs=(os.getpid(),))
    try:
        for future in as_completed([pool.submit(_converted, root, course, handed[start:start + APIECE]) for start in range(0, len(handed), APIECE)]):
            for student in future.result():
                made(student)
    except BaseException:
        for process in list((pool._processes or {}).values()):  # there is no public way to end what is being done
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _obey(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with(parent)


def _converted(root: Path, course: Course, handed: list[Handed]) -> list[str]:
    students: list[str] = []
    _convert(root, course, handed, students.append)
    return students


def _imports() -> None:
    with without_iri_grammar():
        import nbgrader.converters  # noqa: F401

        import autograder.page  # noqa: F401


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

