"""The feedback page: the notebook as a student should read it back, made by nbgrader's converter with a template of this kit.

The page holds no script and asks the network for nothing. `configure_pages` is all that nbgrader has to be told.
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator

from nbconvert.exporters import HTMLExporter
from nbgrader.preprocessors import GetGrades
from pygments.formatters import HtmlFormatter

from autograder.blueprint import ANSWER, CHECKS, SOLUTION

LESSON, OWN = "lesson", "own"
SUMMARY_ID = "autograder-summary"
TEMPLATES = Path(__file__).parent / "templates"
_TITLE = re.compile(r"^#+\s+(.+)$", re.MULTILINE)


def configure_pages(config: Any) -> None:
    """Put the kit's page in the place of nbgrader's, and the safe Markdown, whose formulas need no network, into formgrader too."""
    config.GenerateFeedback.exporter_class = "autograder.page.FeedbackExporter"
    config.GenerateFeedback.preprocessors = ["autograder.plugins.ShowLateness", "autograder.page.Grades"]
    config.FeedbackExporter.template_name = "autograder"
    config.FeedbackExporter.extra_template_basedirs = [str(TEMPLATES)]
    config.HTMLExporter.extra_template_basedirs = [str(TEMPLATES), str(_nbgrader() / "server_extensions/formgrader/templates")]
    config.HTMLExporter.filters = {"markdown2html": "autograder.markdown.to_html"}
    config.HTMLExporter.embed_images = True


def _nbgrader() -> Path:
    return Path(importlib.util.find_spec("nbgrader").submodule_search_locations[0])


class Grades(GetGrades):
    """nbgrader's own, which also says of each cell whether it waits for a person."""

    def _get_score(self, cell: Any, resources: dict) -> None:
        super()._get_score(cell, resources)
        grade = self.gradebook.find_grade(cell.metadata["nbgrader"]["grade_id"], self.notebook_id, self.assignment_id, self.student_id)
        cell.metadata.nbgrader["waits"] = grade.manual_score is None and grade.auto_score is None


@dataclass
class Part:
    """Neighbouring cells that belong together: what the course wrote (folded away), or one cell of the student's."""

    kind: str
    title: str
    cells: list[Any] = field(default_factory=list)

    @property
    def graded(self) -> Any:
        """nbgrader's record of the (first) cell: score, points, comment, whether it waits."""
        return self.cells[0].metadata.get("nbgrader", {})

    @property
    def name(self) -> str:
        """Its name in the page's own links."""
        return self.graded.get("grade_id", "")


class FeedbackExporter(HTMLExporter):
    """HTML by the template in ``autograder/templates/autograder``."""

    def default_filters(self) -> Iterator[tuple[str, Any]]:
        yield from super().default_filters()
        yield "parts", parts
        yield "summary", summary
        yield "number", number
        yield "code_css", code_css


def parts(cells: list[Any]) -> list[Part]:
    """A notebook's cells as the parts of the page, in order; the summary, which stands above them, left out."""
    found: list[Part] = []
    for cell in cells:
        kind = _kind(cell)
        if cell.get("id") == SUMMARY_ID or not (cell.source.strip() or cell.get("outputs")):
            continue
        if kind == LESSON and found and found[-1].kind == LESSON:
            found[-1].cells.append(cell)
        else:
            found.append(Part(kind, _title(cell, kind), [cell]))
    for part in found:
        if part.kind == LESSON:
            part.title = " · ".join(_plain(title) for cell in part.cells for title in _headings(cell)) or "code and figures"
    return found


def summary(cells: list[Any]) -> str:
    """The Markdown of the grader's own summary, or nothing."""
    return next((cell.source for cell in cells if cell.get("id") == SUMMARY_ID), "")


def number(value: float) -> str:
    """Points with two decimals at most."""
    return f"{round(float(value), 2):g}"


def code_css(style: str) -> str:
    """The colours of code."""
    return HtmlFormatter(style=style).get_style_defs(".highlight")


def _kind(cell: Any) -> str:
    kind = cell.metadata.get("autograder", {}).get("kind")
    return kind if kind in (SOLUTION, CHECKS, ANSWER) else LESSON if kind else OWN


def _title(cell: Any, kind: str) -> str:
    from autograder.assignment import exercise_named
    name = cell.metadata.get("nbgrader", {}).get("grade_id", "").removesuffix("-checks")
    if kind in (SOLUTION, CHECKS):
        exercise = exercise_named(name)
        return exercise.title if exercise else name
    return "Written answer" if kind == ANSWER else "A cell of your own"


def _headings(cell: Any) -> list[str]:
    return _TITLE.findall(cell.source) if cell.cell_type == "markdown" else []


def _plain(title: str) -> str:
    return re.sub(r"[*`$]", "", title).strip()
