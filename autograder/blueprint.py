"""The blueprint of an assignment: the cells of its release notebook, as the course owns them."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.exercise import Exercise
from autograder.notebook import Submission, SubmittedCell
from autograder.places import CourseError

PROSE, GIVEN, SOLUTION, CHECKS = "prose", "given", "solution", "checks"
ANSWER_TEXT = "YOUR ANSWER HERE"  # nbgrader's own words
FIGURE, EXPERIMENT, ANSWER = "figure", "experiment", "answer"
SKIPPED = (FIGURE, EXPERIMENT)


@dataclass(frozen=True)
class CourseCell:
    """A cell of the release. `exercise` names the exercise of a solution or check cell."""

    kind: str
    cell_type: str
    source: str
    cell_id: str
    metadata: dict[str, Any]

    @property
    def grade_id(self) -> str:
        """nbgrader's name for the cell, or an empty string."""
        return self.metadata.get("nbgrader", {}).get("grade_id", "")

    @property
    def exercise(self) -> str:
        """The exercise that a solution or check cell belongs to."""
        return self.grade_id.removesuffix("-checks") if self.kind in (SOLUTION, CHECKS) else ""

    @property
    def points(self) -> float:
        """nbgrader's points of the cell, 0 where it has none."""
        return float(self.metadata.get("nbgrader", {}).get("points", 0))


@dataclass(frozen=True)
class Blueprint:
    """All cells of a release notebook in order, and the notebook's own metadata."""

    assignment: str
    cells: tuple[CourseCell, ...]
    metadata: dict[str, Any]

    @property
    def exercises(self) -> tuple[str, ...]:
        """The exercises in the order of the notebook."""
        return tuple(cell.exercise for cell in self.cells if cell.kind == CHECKS)

    @property
    def written(self) -> tuple[CourseCell, ...]:
        """The cells with answers that a person grades."""
        return tuple(cell for cell in self.cells if cell.kind == ANSWER)


@lru_cache
def read_blueprint(root: Path, assignment: str) -> Blueprint:
    """The blueprint from ``<root>/release``. Raises `CourseError` with the command that makes it."""
    path = root / "release" / assignment / f"{assignment}.ipynb"
    if not path.is_file():
        raise CourseError(f"{path} does not exist; make it with: autograder build {assignment}")
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        cells = tuple(_course_cell(cell) for cell in tree["cells"])
    except (ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path} is damaged ({error!r}); make it anew with: autograder build {assignment}") from error
    return Blueprint(assignment, cells, tree["metadata"])


def _course_cell(cell: dict[str, Any]) -> CourseCell:
    source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    kind = cell["metadata"].get("autograder", {}).get("kind", PROSE)
    return CourseCell(kind, cell["cell_type"], source, cell["id"], cell["metadata"])


def blueprint_of(submission: Submission, assignment: str, exercises: dict[str, Exercise]) -> Blueprint:
    """A blueprint taken from the submission itself, where the course's own files are not at hand (a student's machine)."""
    cells = tuple(_own_cell(cell, exercises) for cell in submission.cells)
    found = {cell.exercise for cell in cells if cell.kind == CHECKS}
    late = tuple(CourseCell(CHECKS, "code", f"check({name})", f"{name}-checks", _nbgrader(f"{name}-checks", CHECKS))
                 for name in exercises if name not in found)
    return Blueprint(assignment, cells + late, {})


def _own_cell(cell: SubmittedCell, exercises: dict[str, Exercise]) -> CourseCell:
    kind = PROSE
    if cell.grade_id in exercises:
        kind = SOLUTION
    elif cell.grade_id.removesuffix("-checks") in exercises:
        kind = CHECKS
    elif cell.grade_id.startswith((FIGURE, EXPERIMENT)):
        kind = FIGURE
    elif cell.cell_type == "markdown" and cell.nbgrader.get("grade") is True and cell.nbgrader.get("solution") is True:
        points = cell.nbgrader.get("points")
        metadata = _nbgrader(cell.grade_id, ANSWER) if cell.grade_id else {"autograder": {"kind": ANSWER}, "nbgrader": {"grade_id": "written"}}
        metadata["nbgrader"]["points"] = points if type(points) in (int, float) and 0 <= points < 1000 else 0
        return CourseCell(ANSWER, "markdown", ANSWER_TEXT, cell.cell_id or f"cell-{cell.number}", metadata)
    source = _given_init(cell.source, exercises[cell.grade_id]) if kind == SOLUTION else cell.source
    return CourseCell(kind, cell.cell_type or "code", source, cell.cell_id or f"cell-{cell.number}", _nbgrader(cell.grade_id, kind))


def _given_init(source: str, exercise: Exercise) -> str:
    """What of an answer the student was given: the ``__init__`` of a class whose exercise gives it, else nothing."""
    if exercise.parameters is None or not exercise.gives_init:
        return ""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    inits = [node for one in body if isinstance(one, ast.ClassDef) for node in one.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    return "\n".join(map(ast.unparse, inits))


def _nbgrader(grade_id: str, kind: str) -> dict[str, Any]:
    return {"autograder": {"kind": kind}, "nbgrader": {"grade_id": grade_id}} if grade_id else {"autograder": {"kind": kind}}
