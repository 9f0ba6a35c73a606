"""nbgrader's doors into the engine: ``nbgrader autograde`` gives the same grades as ``autograder grade``.

`configure` puts these plug-ins in place: an exporter that reads whatever was handed in, rebuilds it and has it graded; a
preprocessor that stores the automatic comments after nbgrader has stored the scores; a hook that puts the assignment
into the gradebook first; the late policy of ``course.yaml``; and a preprocessor that says on the feedback page what lateness cost.
"""

from __future__ import annotations

import atexit
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.autograded import first_commented, with_lateness
from autograder.blueprint import read_blueprint
from autograder.course import Course, find_root, read_course
from autograder.grader import Grader, make_grader
from autograder.late import deadline_of, extension_of, late_result
from autograder.page import configure_pages
from autograder.results import LateResult
from autograder.rows import penalty_stored
from autograder.submissions import Handed, find_notebook, timestamp_in

IGNORED = [".ipynb_checkpoints", "*.pyc", "__pycache__", ".pytest_cache", "*.py", "*.tmp"]


def configure(config: Any, root: Path) -> None:
    """Fill nbgrader's configuration from ``course.yaml`` under `root`."""
    course = read_course(root / "course.yaml")
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.course_id = course.course
    config.CourseDirectory.db_url = course.db_url
    config.CourseDirectory.ignore = IGNORED
    config.Autograde.exporter_class = "autograder.plugins.SubmissionExporter"
    config.Autograde.pre_convert_hook = "autograder.plugins.prepare_gradebook"
    config.Autograde.sanitize_preprocessors = []
    config.Autograde.autograde_preprocessors = ["nbgrader.preprocessors.SaveAutoGrades", "autograder.plugins.SaveComments",
                                                "nbgrader.preprocessors.AssignLatePenalties"]
    config.AssignLatePenalties.plugin_class = "autograder.plugins.LatePolicy"
    configure_pages(config)
    CourseDirectory.get_existing_timestamp = lambda self, folder: timestamp_in(Path(folder))  # nbgrader's own fails on a malformed one


def _course(root: Path) -> Course:
    return _course_of(root, (root / "course.yaml").stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _course_of(root: Path, changed: int) -> Course:
    """`changed` is when the file was last written: formgrader's server lives longer than a date in it."""
    return read_course(root / "course.yaml")


@lru_cache
def shared_grader(root: Path, assignment: str) -> Grader:
    """The grader of this process for one assignment, set up at the first submission and ended with the process."""
    grader = make_grader(_course(root), root, assignment)
    atexit.register(grader.close)
    return grader


class SubmissionExporter(NotebookExporter):
    """Reads a submitted notebook as nbgrader's sanitising step asks for it, and gives back the graded notebook.

    In the second step (the notebook is then in autograded/) it reads the file as it is.
    """

    def from_filename(self, filename: str, resources: dict | None = None, **kw: Any) -> tuple[str, dict]:
        path = Path(filename).absolute()  # not resolved: a link to another student's notebook is no submission
        root = find_root(path.parent)
        student, assignment = resources["nbgrader"]["student"], resources["nbgrader"]["assignment"]
        if root is None or (root / "submitted") not in path.parents:
            return super().from_filename(filename, resources=resources, **kw)
        outcome = shared_grader(root, assignment).grade(student, find_notebook(Handed(student, assignment, path.parent)))
        notebook = nbformat.reads(outcome.notebook, as_version=4)
        return self.from_notebook_node(notebook, resources=resources, **kw)


class SaveComments(NbGraderPreprocessor):
    """Stores the engine's automatic comments, which SaveAutoGrades has just reset, and the student's extension, for the penalty to come."""

    def preprocess(self, nb: Any, resources: dict) -> tuple[Any, dict]:
        _save(resources["nbgrader"], nb.metadata.get("autograder", {}).get("comments", {}))
        return nb, resources


def _save(where: dict[str, str], said: dict[str, str | None]) -> LateResult | None:
    """Store automatic comments, the extension and the late penalty for the points there are by now."""
    from nbgrader.api import Gradebook
    root = find_root()
    assignment, student = where["assignment"], where["student"]
    course, first = _course(root), first_commented(read_blueprint(root, assignment))
    with Gradebook(where["db_url"], course.course) as gradebook:
        submitted = gradebook.find_submission_notebook(where["notebook"], assignment, student)
        submitted.assignment.extension = extension_of(course, assignment, student)
        late = late_result(course, assignment, student, submitted.assignment.timestamp, submitted.score)
        submitted.late_submission_penalty = penalty_stored(late)
        said = {**said, **with_lateness({first: said[first]}, late)} if first in said else said
        for comment in submitted.comments:
            if comment.cell.name in said:
                comment.auto_comment = said[comment.cell.name]
        gradebook.db.commit()
    return late


class LatePolicy(LateSubmissionPlugin):
    """The late policy of ``course.yaml``, as nbgrader asks for it."""

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        course, assignment = _course(find_root()), self.parent.assignment_id
        due = deadline_of(course, assignment, student_id)
        late = late_result(course, assignment, student_id, due and due + timedelta(seconds=total_seconds_late), score)
        return penalty_stored(late)


class ShowLateness(NbGraderPreprocessor):
    """Says at the top of a feedback page what was taken off for lateness and why, for the points that there are by now."""

    def preprocess(self, nb: Any, resources: dict) -> tuple[Any, dict]:
        late = _save(resources["nbgrader"], nb.metadata.get("autograder", {}).get("comments", {}))
        if late and nb.cells and nb.cells[0].get("id") == "autograder-summary":
            nb.cells[0].source += "\n\n" + _lateness(late)
        return nb, resources


def _lateness(late: LateResult) -> str:
    return f"**Handed in late.** {late.reason}. It was due at {late.due} and handed in at {late.handed_in}."


def prepare_gradebook(assignment: str, student: str, notebooks: list[str]) -> None:
    """Put the assignment into the gradebook, and point nbgrader at the right name where the only notebook has another."""
    from autograder.gradebook import ensure_assignment, open_gradebook, up_to_date
    root = find_root()
    grader = shared_grader(root, assignment)
    course = _course(root)
    with open_gradebook(course) as gradebook:
        if not up_to_date(gradebook, grader.blueprint, course):
            ensure_assignment(gradebook, grader.blueprint, course)
    folder = Path(notebooks[0]).parent
    wanted = str(folder / f"{assignment}.ipynb")
    if wanted not in notebooks:
        notebooks.append(wanted)
