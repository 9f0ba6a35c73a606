"""Matching: which submitted cell stands for which of the course's.

A cell is recognised by its grade_id, else by its cell id, else by its text or the function that it defines; never by its
place in the file. Metadata lost or edited are made up for, and said in one line.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograder.blueprint import ANSWER, SOLUTION, Blueprint, CourseCell
from autograder.celltext import defined_names
from autograder.notebook import Submission, SubmittedCell

_KEYS = ("points", "grade", "locked", "solution", "task", "schema_version")
_NAMED = 5


@dataclass
class Match:
    """Which submitted cells stand for which course cell (by its cell id), and which are the student's own, each with the
    course cell that it comes after."""

    course: dict[str, list[SubmittedCell]] = field(default_factory=dict)
    extras: list[tuple[str, SubmittedCell]] = field(default_factory=list)


def matched(blueprint: Blueprint, submission: Submission, remarks: list[str]) -> Match:
    """Find the course's cells in a submission."""
    found = _recognised(blueprint, submission)
    _report_metadata(submission, found, remarks)
    match, anchor = Match(), ""
    for cell in submission.cells:
        course_cell = found.get(cell.number)
        if course_cell is None:
            match.extras.append((anchor, cell))
        else:
            match.course.setdefault(course_cell.cell_id, []).append(cell)
            anchor = course_cell.cell_id
    _report_order(blueprint, match, remarks)
    _take_answers(blueprint, match, remarks)
    return match


def _take_answers(blueprint: Blueprint, match: Match, remarks: list[str]) -> None:
    """A written answer that nothing identifies: the text that follows its question is taken, for a person to read."""
    for question, cell in zip(blueprint.cells, blueprint.cells[1:]):
        if cell.kind != ANSWER or cell.cell_id in match.course:
            continue
        texts = [extra for anchor, extra in match.extras if anchor == question.cell_id and extra.cell_type != "code" and extra.source.strip()]
        if texts:
            match.course[cell.cell_id] = texts
            match.extras = [(anchor, extra) for anchor, extra in match.extras if extra not in texts]
            remarks.append(f"The answer cell {cell.grade_id} had lost its metadata; the text that follows the question was taken.")


def _recognised(blueprint: Blueprint, submission: Submission) -> dict[int, CourseCell]:
    """The course's cell for each submitted one that stands for one, by number."""
    by_grade_id = {cell.grade_id: cell for cell in blueprint.cells if cell.grade_id}
    by_cell_id = {cell.cell_id: cell for cell in blueprint.cells}
    by_text = {cell.source.strip(): cell for cell in blueprint.cells}
    solutions = {cell.exercise: cell for cell in blueprint.cells if cell.kind == SOLUTION}
    found = {cell.number: by_grade_id[cell.grade_id] for cell in submission.cells if cell.grade_id in by_grade_id}
    present = {cell.cell_id for cell in found.values()}  # with their grade_id: a cell without one is then a copy or the student's own
    for cell in submission.cells:
        by_id = by_cell_id.get(cell.cell_id) or by_text.get(cell.source.strip())
        if cell.number not in found and by_id is not None and not (cell.grade_id and by_id.cell_id in present):
            found[cell.number] = by_id
    if by_grade_id.keys() <= {cell.grade_id for cell in submission.cells}:
        return found
    taken = {cell.cell_id for cell in found.values()}
    for cell in submission.cells:
        named = [solutions[name] for name in dict.fromkeys(defined_names(cell.source)) if name in solutions]
        if cell.number not in found and len(named) == 1 and named[0].cell_id not in taken and cell.cell_type in ("code", ""):
            found[cell.number] = named[0]
            taken.add(named[0].cell_id)
    return found


def _report_metadata(submission: Submission, found: dict[int, CourseCell], remarks: list[str]) -> None:
    lost, edited, keys = [], [], []
    for cell in submission.cells:
        course = found.get(cell.number)
        if course is None or not course.grade_id:
            continue
        if cell.grade_id != course.grade_id:
            lost.append(course.grade_id)
            continue
        own = course.metadata["nbgrader"]
        changed = [key for key in _KEYS if key in own and (cell.nbgrader.get(key) != own[key] or type(cell.nbgrader[key]) is str)]
        if changed:
            edited.append(course.grade_id)
            keys += [key for key in changed if key not in keys]
    if lost:
        whose = "its" if len(set(lost)) == 1 else "their"
        remarks.append(f"{_cells(lost)} had lost {whose} metadata; recognised by cell id, text or the function defined.")
    if edited:
        remarks.append(f"nbgrader's metadata of {_cells(edited)} had been edited ({', '.join(keys)}); the course's own were used.")


def _cells(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{len(names)} cell{'s' if len(names) > 1 else ''} ({', '.join(names[:_NAMED])}{more})"


def _report_order(blueprint: Blueprint, match: Match, remarks: list[str]) -> None:
    """Say so where the course's cells (the first of each) came in another order."""
    numbers = [match.course[cell.cell_id][0].number for cell in blueprint.cells if cell.grade_id and cell.cell_id in match.course]
    if numbers != sorted(numbers):
        remarks.append("The notebook's cells were in another order; they were run in the course's order.")
