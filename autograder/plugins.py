"""nbgrader's doors into the engine: ``nbgrader autograde`` gives the same grades as ``autograder grade``.

`configure` puts three plug-ins in place: an exporter that reads whatever was handed in, rebuilds it and has it graded; a
preprocessor that stores the automatic comments after nbgrader has stored the scores; and a hook that puts the assignment
into the gradebook first.
"""

from __future__ import annotations

import atexit
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.course import Course, find_root, read_course
from autograder.grader import Grader, make_grader
from autograder.page import configure_pages
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
    configure_pages(config)
    CourseDirectory.get_existing_timestamp = lambda self, folder: timestamp_in(Path(folder))  # nbgrader's own fails on a malformed one


@lru_cache
def _course(root: Path) -> Course:
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
    """Stores the engine's automatic comments, which SaveAutoGrades has just reset."""

    def preprocess(self, nb: Any, resources: dict) -> tuple[Any, dict]:
        from nbgrader.api import Gradebook
        where = resources["nbgrader"]
        said = nb.metadata.get("autograder", {}).get("comments", {})
        with Gradebook(where["db_url"]) as gradebook:
            submitted = gradebook.find_submission_notebook(where["notebook"], where["assignment"], where["student"])
            for comment in submitted.comments:
                if comment.cell.name in said:
                    comment.auto_comment = said[comment.cell.name]
            gradebook.db.commit()
        return nb, resources


def prepare_gradebook(assignment: str, student: str, notebooks: list[str]) -> None:
    """Put the assignment into the gradebook, and point nbgrader at the right name where the only notebook has another."""
    from autograder.gradebook import ensure_assignment, open_gradebook, up_to_date
    root = find_root()
    grader = shared_grader(root, assignment)
    with open_gradebook(grader.course) as gradebook:
        if not up_to_date(gradebook, grader.blueprint, grader.course):
            ensure_assignment(gradebook, grader.blueprint, grader.course)
    folder = Path(notebooks[0]).parent
    wanted = str(folder / f"{assignment}.ipynb")
    if wanted not in notebooks:
        notebooks.append(wanted)
