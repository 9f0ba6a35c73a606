"""Where an exercise's function is defined: in its own cell, in another of the student's, twice, or below its check.

The check is moved below a definition, or a helper that the function uses, which comes later; what was done is said in one line.
"""

from __future__ import annotations

from autograder.blueprint import SOLUTION, Blueprint
from autograder.celltext import bound_names, code_in_markdown, completes, defined_names, definitions, same_code, used_names
from autograder.rebuild import STUDENT, Cell, Rebuilt


def settle(rebuilt: Rebuilt, blueprint: Blueprint) -> None:
    """Find the definition of every exercise, and check it after the cell that has it."""
    stubs = {cell.exercise: cell.source for cell in blueprint.cells if cell.kind == SOLUTION}
    for name, stub in stubs.items():
        own = _cell(rebuilt, name)
        if not rebuilt.attempted.get(name) or name not in defined_names(own.source) and not _copies_define(rebuilt, name):
            _find(rebuilt, name, stub)
        _complete(rebuilt, name)
        if rebuilt.attempted.get(name):
            _report_doubles(rebuilt, name)
            _wait_for_helpers(rebuilt, name)


def _cell(rebuilt: Rebuilt, name: str) -> Cell:
    return next(cell for cell in rebuilt.cells if cell.kind == SOLUTION and cell.cell_id == name)


def _copies_define(rebuilt: Rebuilt, name: str) -> bool:
    return any(name in defined_names(cell.source) for cell in rebuilt.cells if cell.cell_id.startswith(f"{name}-copy-"))


def _find(rebuilt: Rebuilt, name: str, stub: str) -> None:
    """Take the answer from another cell of the student's, where there is one; the untouched stub is not run if that would undo it."""
    places = [i for i, cell in enumerate(rebuilt.cells) if cell.origin == STUDENT and cell.cell_type == "code" and cell.cell_id != name
              and name in defined_names(cell.source) and not same_code(cell.source, stub)]
    where = "another cell of your own"
    if not places:
        places = [i for i, cell in enumerate(rebuilt.cells) if cell.submitted_as in ("markdown", "raw") and cell.cell_type != "code"
                  and name in defined_names(code_in_markdown(cell.source)) and not same_code(code_in_markdown(cell.source), stub)][-1:]
        if not places or rebuilt.attempted.get(name):
            return
        cell = rebuilt.cells[places[0]]
        cell.cell_type, cell.source, where = "code", code_in_markdown(cell.source), f"a {cell.submitted_as} cell and run as code"
    if not rebuilt.attempted.get(name) and places[0] < rebuilt.cells.index(_cell(rebuilt, name)):
        _cell(rebuilt, name).source = ""
    rebuilt.attempted[name] = True
    rebuilt.remarks.append(f"The answer to {name} was found in {rebuilt.cells[places[-1]].label}, {where}; it was taken from there.")
    at = _check_at(rebuilt, name)
    if places[0] > at:
        _move_check(rebuilt, name, places[-1])


def _complete(rebuilt: Rebuilt, name: str) -> None:
    """An answer that is only, or also, added to from other cells (a method written below its class) is an answer, and checked after them."""
    places = [i for i, cell in enumerate(rebuilt.cells) if cell.origin == STUDENT and cell.cell_type == "code" and completes(cell.source, name)]
    if not places:
        return
    if not rebuilt.attempted.get(name):
        rebuilt.attempted[name] = True
        rebuilt.remarks.append(f"The answer to {name} was written in {rebuilt.cells[places[-1]].label}, another cell of your own, which adds to it.")
    if places[-1] > _check_at(rebuilt, name):
        _move_check(rebuilt, name, places[-1])


def _check_at(rebuilt: Rebuilt, name: str) -> int:
    return next(i for i, cell in enumerate(rebuilt.cells) if name in cell.checks)


def _move_check(rebuilt: Rebuilt, name: str, to: int) -> None:
    cell = rebuilt.cells[_check_at(rebuilt, name)]
    cell.checks = tuple(other for other in cell.checks if other != name)
    rebuilt.cells[to].checks += (name,)


def _report_doubles(rebuilt: Rebuilt, name: str) -> None:
    count = sum(definitions(cell.source, name) for cell in rebuilt.cells
                if cell.origin == STUDENT and cell.cell_type == "code" and "-copy-" not in cell.cell_id)
    if count > 1:
        rebuilt.remarks.append(f"{name} is defined {count} times; the last definition before its check counts.")


def _wait_for_helpers(rebuilt: Rebuilt, name: str) -> None:
    """Check a function later where it uses something that the student defines only below the check."""
    at = _check_at(rebuilt, name)
    used = set().union(*(used_names(cell.source) for cell in rebuilt.cells[:at] if cell.origin == STUDENT and name in defined_names(cell.source)))
    if not used:
        return
    missing = used - set().union(*(bound_names(cell.source) for cell in rebuilt.cells[:at] if cell.cell_type == "code"))
    for later, cell in enumerate(rebuilt.cells[at + 1:], at + 1):
        helpers = missing & bound_names(cell.source) if cell.origin == STUDENT and cell.cell_type == "code" else set()
        if helpers:
            missing -= helpers
            _move_check(rebuilt, name, later)
            rebuilt.remarks.append(f"{name} uses {', '.join(sorted(helpers))}, defined below its check in {cell.label}; it was checked after that cell.")
