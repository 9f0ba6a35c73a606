"""Answers as notebook code: the staff's right and wrong functions, written out so that they stand alone in a cell."""

from __future__ import annotations

import ast
import copy
import json
from pathlib import Path
from typing import Any, Callable

from autograder.places import CourseError


def answer_source(path: Path, function: str, exercise: str) -> str:
    """The source of `function` in a staff file, renamed to `exercise`, with the file's own helpers that it uses.

    Raises `CourseError` when there is no such function.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    if function not in found:
        raise CourseError(f"{path}: there is no function {function}")
    node = copy.deepcopy(found[function])
    node.name, node.decorator_list = exercise, []
    needed = [name for name in _needs(node, found) if name != function]
    imports = [ast.unparse(n) for n in tree.body if isinstance(n, ast.Import)]
    return "\n\n\n".join(["\n".join(imports), *(ast.unparse(found[name]) for name in needed), ast.unparse(node)]) + "\n"


def _needs(node: ast.AST, found: dict[str, ast.AST]) -> list[str]:
    """The helpers (names with a leading underscore) that a function uses, those they use first."""
    names: list[str] = []
    for used in ast.walk(node):
        if isinstance(used, ast.Name) and used.id in found and used.id.startswith("_") and used.id not in names:
            names += [name for name in _needs(found[used.id], found) if name not in names] + [used.id]
    return list(dict.fromkeys(names))


def filled_in(release: str, answers: dict[str, str], *, change: Callable[[dict[str, Any]], None] = lambda notebook: None) -> str:
    """A release notebook with `answers` (source by exercise, or by grade_id of a written answer) typed in, then changed by `change`."""
    notebook = json.loads(release)
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if name in answers:
            cell["source"] = answers[name]
    change(notebook)
    return json.dumps(notebook, indent=1, ensure_ascii=False)


def reference_answers(root: Path, assignment: str) -> dict[str, str]:
    """The reference of every exercise of an assignment as notebook code."""
    folder = root / "solutions" / assignment
    return {path.stem: answer_source(path, path.stem, path.stem) for path in sorted(folder.glob("[!_]*.py"))}
