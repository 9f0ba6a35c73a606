"""Rebuilding: the notebook that runs is the course's, with only the student's own code and answers put in.

A submitted cell is recognised by its grade_id, else by its cell id, else by the function that it defines; never by its
place in the file. What had to be repaired is said in one line each.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from autograder.blueprint import ANSWER, CHECKS, PROSE, SKIPPED, SOLUTION, Blueprint, CourseCell
from autograder.notebook import Submission, SubmittedCell

COURSE, STUDENT = "course", "student"


@dataclass
class Cell:
    """One cell of the rebuilt notebook. `label` is how a message names it; `checks` the exercises checked after it."""

    kind: str
    cell_type: str
    source: str
    cell_id: str
    metadata: dict[str, Any]
    origin: str
    label: str
    checks: tuple[str, ...] = ()

    @property
    def runs(self) -> bool:
        """Whether grading executes it (figures, experiments and check cells are not executed)."""
        return self.cell_type == "code" and self.kind not in (*SKIPPED, CHECKS) and bool(self.source.strip())


@dataclass
class Rebuilt:
    """The rebuilt notebook. `attempted` says for each exercise whether anything was handed in for it."""

    cells: list[Cell]
    metadata: dict[str, Any]
    remarks: list[str] = field(default_factory=list)
    attempted: dict[str, bool] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)


@dataclass
class _Match:
    """Which submitted cells stand for which course cell, and which are the student's own."""

    course: dict[str, list[SubmittedCell]] = field(default_factory=dict)
    extras: list[tuple[str, SubmittedCell]] = field(default_factory=list)


def rebuild(blueprint: Blueprint, submission: Submission) -> Rebuilt:
    """Put the student's code and answers into the course's notebook."""
    rebuilt = Rebuilt([], blueprint.metadata, list(submission.remarks))
    match = _match(blueprint, submission, rebuilt.remarks)
    for extra_at_top in match.extras:
        if extra_at_top[0] == "":
            _add_extra(rebuilt, extra_at_top[1])
    for course_cell in blueprint.cells:
        copies = match.course.get(course_cell.cell_id, [])
        _add_course_cell(rebuilt, course_cell, copies)
        for anchor, extra in match.extras:
            if anchor == course_cell.cell_id:
                _add_extra(rebuilt, extra)
    _settle_attempts(rebuilt, blueprint)
    return rebuilt


def _match(blueprint: Blueprint, submission: Submission, remarks: list[str]) -> _Match:
    by_grade_id = {cell.grade_id: cell for cell in blueprint.cells if cell.grade_id}
    by_cell_id = {cell.cell_id: cell for cell in blueprint.cells}
    found = {id(s): by_grade_id.get(s.grade_id) or (by_cell_id.get(s.cell_id) if not s.grade_id else None)
             for s in submission.cells}
    taken = {cell.cell_id for cell in found.values() if cell is not None}
    solutions = {cell.exercise: cell for cell in blueprint.cells if cell.kind == SOLUTION}
    texts = {cell.source.strip(): cell for cell in blueprint.cells}
    for cell in submission.cells:  # lost metadata: by the text of a course cell, then by the function defined
        if found[id(cell)] is not None or cell.grade_id:
            continue
        same_text = texts.get(cell.source.strip())
        if same_text is not None:
            found[id(cell)] = same_text
            taken.add(same_text.cell_id)
            continue
        named = [solutions[name] for name in defined_names(cell.source) if name in solutions]
        if len(named) == 1 and named[0].cell_id not in taken and _lost_metadata(submission, by_grade_id):
            found[id(cell)] = named[0]
            taken.add(named[0].cell_id)
            remarks.append(f"Cell {cell.number} had lost its metadata; it was taken for {named[0].exercise} by the function it defines.")
    return _arrange(submission, found)


def _lost_metadata(submission: Submission, by_grade_id: dict[str, CourseCell]) -> bool:
    """Whether any of the course's cells has lost its grade_id: only then are cells recognised by what they define."""
    present = {cell.grade_id for cell in submission.cells}
    return not by_grade_id.keys() <= present


def _arrange(submission: Submission, found: dict[int, CourseCell | None]) -> _Match:
    match, anchor = _Match(), ""
    for cell in submission.cells:
        course_cell = found[id(cell)]
        if course_cell is None:
            match.extras.append((anchor, cell))
        else:
            match.course.setdefault(course_cell.cell_id, []).append(cell)
            anchor = course_cell.cell_id
    return match


def _add_course_cell(rebuilt: Rebuilt, course: CourseCell, copies: list[SubmittedCell]) -> None:
    if course.kind == SOLUTION:
        _add_solution(rebuilt, course, copies)
    elif course.kind == ANSWER:
        text = without_html("\n\n".join(copy.source for copy in copies if copy.source.strip() != course.source.strip()))
        _append(rebuilt, course, text or course.source, STUDENT, f"the answer {course.grade_id}")
    else:
        _report_edits(rebuilt, course, copies)
        _append(rebuilt, course, course.source, COURSE, f"the course's cell {course.grade_id or course.cell_id}")
        if course.kind == CHECKS:
            rebuilt.cells[-1].checks = (course.exercise,)


def _add_solution(rebuilt: Rebuilt, course: CourseCell, copies: list[SubmittedCell]) -> None:
    name = course.exercise
    if not copies:
        rebuilt.remarks.append(f"The cell of {name} was missing; the empty one from the course was put in its place.")
    texts = [_cleaned(copy, rebuilt.remarks) for copy in copies]
    if len(texts) > 1:
        rebuilt.remarks.append(f"There are {len(texts)} cells for {name}; they were run in order, so the last definition counts.")
        texts = [text for text in texts if not same_code(text, course.source)] or texts[:1]
    for copy in copies:
        if copy.cell_type != "code":
            rebuilt.remarks.append(f"The cell of {name} had become a {copy.cell_type} cell; it was run as code.")
    rebuilt.attempted[name] = any(text.strip() and not same_code(text, course.source) and not is_stub(text) for text in texts)
    _append(rebuilt, course, texts[0] if texts else course.source, STUDENT, f"the cell of {name}")
    for number, text in enumerate(texts[1:], 2):
        rebuilt.cells.append(Cell(PROSE, "code", text, f"{course.cell_id}-copy-{number}", {}, STUDENT, f"cell {number} of {name}"))


def _append(rebuilt: Rebuilt, course: CourseCell, source: str, origin: str, label: str) -> None:
    rebuilt.cells.append(Cell(course.kind, course.cell_type, source, course.cell_id, course.metadata, origin, label))


def _report_edits(rebuilt: Rebuilt, course: CourseCell, copies: list[SubmittedCell]) -> None:
    if not course.grade_id:
        return
    name = course.grade_id
    if not copies and course.kind == CHECKS:
        rebuilt.remarks.append(f"The check cell {name} was missing; it was restored.")
    elif len(copies) > 1:
        rebuilt.remarks.append(f"The cell {name} was there {len(copies)} times; the course's own counts once.")
    for copy in copies:
        if copy.source.strip() == course.source.strip():
            continue
        if course.kind == CHECKS and course.exercise in defined_names(copy.source):
            rebuilt.remarks.append(f"The check cell {name} holds a definition of {course.exercise}: answers belong in the cell above "
                                   "it. The check cell was restored, and what was written in it is not graded.")
        else:
            rebuilt.remarks.append(f"The locked cell {name} was edited; the course's own text was used.")


def _cleaned(cell: SubmittedCell, remarks: list[str]) -> str:
    text = cell.source
    for mark, name in (("\ufeff", "a byte-order mark"), ("\0", "a NUL character")):
        if mark in text:
            text = text.replace(mark, "")
            remarks.append(f"Cell {cell.number} holds {name}; it was removed.")
    return text


def _add_extra(rebuilt: Rebuilt, cell: SubmittedCell) -> None:
    kind = cell.cell_type if cell.cell_type in ("code", "markdown") else "markdown"
    number = sum(c.cell_id.startswith("own-") for c in rebuilt.cells) + 1
    text = _cleaned(cell, rebuilt.remarks)
    text = text if kind == "code" else without_html(text)
    rebuilt.cells.append(Cell(PROSE, kind, text, f"own-{number}", {}, STUDENT, f"cell {cell.number}"))


def _settle_attempts(rebuilt: Rebuilt, blueprint: Blueprint) -> None:
    """An answer in a cell of the student's own counts: the untouched stub is then not run, and a late answer is checked late."""
    stubs = {cell.exercise: cell.source for cell in blueprint.cells if cell.kind == SOLUTION}
    for name, stub in stubs.items():
        if rebuilt.attempted.get(name):
            continue
        own = [i for i, cell in enumerate(rebuilt.cells) if cell.cell_type == "code" and cell.origin == STUDENT
               and name in defined_names(cell.source) and not same_code(cell.source, stub)]
        if not own:
            continue
        rebuilt.attempted[name] = True
        for cell in rebuilt.cells:
            if cell.kind == SOLUTION and cell.cell_id == name:
                cell.source = ""
        at = next(i for i, cell in enumerate(rebuilt.cells) if name in cell.checks)
        rebuilt.remarks.append(f"The answer to {name} was found in a cell of your own; it was taken from there.")
        if own[0] > at:
            rebuilt.cells[at].checks = ()
            rebuilt.cells[own[-1]].checks += (name,)


def without_html(text: str) -> str:
    """A student's Markdown in which no HTML is left to run in the browser of whoever reads it."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text)


def defined_names(source: str) -> list[str]:
    """The names of functions and classes (and plain assignments) at the top level of a cell, even one that does not parse."""
    found = re.findall(r"^(?:async\s+)?(?:def|class)\s+([A-Za-z_]\w*)|^([A-Za-z_]\w*)\s*=(?!=)", source, re.MULTILINE)
    return [one or other for one, other in found]


def same_code(one: str, other: str) -> bool:
    """Whether two cells hold the same code, comments, blank lines and docstrings aside."""
    if one.strip() == other.strip():
        return True
    try:
        return _skeleton(one) == _skeleton(other)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def is_stub(source: str) -> bool:
    """Whether every function in the cell, and every method but ``__init__``, does nothing but raise NotImplementedError."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    if not all(isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in body):
        return False
    functions = [f for node in body for f in (node.body if isinstance(node, ast.ClassDef) else [node])
                 if isinstance(f, ast.FunctionDef) and f.name != "__init__"]
    return bool(functions) and all(
        all(isinstance(s, ast.Raise) and "NotImplementedError" in ast.dump(s) for s in f.body if not _is_docstring(s))
        and any(isinstance(s, ast.Raise) for s in f.body) for f in functions)


@lru_cache(maxsize=256)
def _skeleton(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]):
            node.body = body[1:]
    return ast.dump(tree)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
