"""Mutants: every wrong answer that one small slip makes of a reference.

First-order mutants as in the literature on mutation testing (DeMillo, Lipton and Sayward, 1978): one change of an operator, an axis,
a constant, an index, an order of arguments, or one piece left out. The tools for it on PyPI rewrite files and run a whole test suite for
each, and know nothing of axes and transposes; here a mutant is a function, judged like any answer.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import sys
from dataclasses import dataclass
from typing import Any, Callable, Iterator

from autograder.exercise import Exercise
from autograder.slips import expressions, statements


@dataclass(frozen=True)
class Mutant:
    """A mutated reference. `change` reads "statement before -> statement after" and names it within its exercise."""

    change: str
    line: int
    function: Callable

    @property
    def name(self) -> str:
        """As other answers are called."""
        return self.change


def mutants_of(exercise: Exercise) -> list[Mutant]:
    """All mutants of an exercise's reference and of the helpers that it calls, in the order of the source.

    What a student is given (``__init__`` where the exercise gives it) is left alone.
    """
    function = exercise.reference.function
    module = sys.modules[function.__module__]
    definitions = _reached(ast.parse(inspect.getsource(module)), function.__name__)
    tree = ast.Module(definitions, [])
    mutants: dict[str, Mutant] = {}
    for definition in definitions:
        for change, line in _slips(definition, given_init=exercise.parameters is not None and exercise.gives_init):
            if change not in mutants and (made := _made(tree, vars(module), function.__name__)) is not None:
                mutants[change] = Mutant(change, line, made)
    return list(mutants.values())


def _reached(tree: ast.Module, name: str) -> list[ast.stmt]:
    """The definitions of the module that `name` needs, itself included, without their decorators."""
    known = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    wanted, found = [name], []
    while wanted:
        node = known.pop(wanted.pop(), None)
        if node is not None and not (found and node.decorator_list):
            node.decorator_list = []
            found.append(node)
            wanted += [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    return sorted(found, key=lambda node: node.lineno)


def _slips(definition: ast.stmt, *, given_init: bool) -> Iterator[tuple[str, int]]:
    """Each slip in turn, made in the tree while it is yielded and taken back afterwards."""
    known = {node.id if isinstance(node, ast.Name) else node.arg for node in ast.walk(definition) if isinstance(node, (ast.Name, ast.arg))}
    for holder, place, statement in list(_statements(definition, given_init)):
        before = _text(statement)
        for slip in statements(statement):
            with _replaced(holder, place, slip):
                yield f"{before} -> {_text(slip)}", statement.lineno
        for parent, spot, node in list(_expressions(statement)):
            for slip in expressions(node):
                if isinstance(slip, ast.Name) and slip.id not in known:
                    continue
                with _replaced(parent, spot, slip):
                    if (after := _text(statement)) != before:
                        yield f"{before} -> {after}", statement.lineno


def _statements(node: ast.AST, given_init: bool) -> Iterator[tuple[Any, int, ast.stmt]]:
    """Every statement under `node` with the list that holds it, docstrings aside; a definition itself for its defaults."""
    yield [node], 0, node
    for name in ("body", "orelse"):
        block = getattr(node, name, None) or []
        for place, statement in enumerate(block):
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue
            if not (given_init and isinstance(statement, ast.FunctionDef) and statement.name == "__init__"):
                for holder, at, inner in _statements(statement, given_init):
                    yield (block, place, inner) if inner is statement else (holder, at, inner)


def _expressions(statement: ast.stmt) -> Iterator[tuple[ast.AST, str | tuple[str, int], ast.expr]]:
    """Every expression of one statement with its parent and place; not those of statements inside it, nor of what it raises."""
    if isinstance(statement, ast.Raise):
        return
    fields = ("args",) if isinstance(statement, ast.FunctionDef) else ("bases",) if isinstance(statement, ast.ClassDef) else statement._fields
    for name in fields:
        if name not in ("body", "orelse", "targets", "target"):
            yield from _within(statement, name)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        yield from _within(statement, "targets")


def _within(parent: ast.AST, name: str) -> Iterator[tuple[ast.AST, Any, ast.expr]]:
    value = getattr(parent, name, None)
    for at, item in enumerate(value) if isinstance(value, list) else [(None, value)]:
        if isinstance(item, ast.AST):
            if isinstance(item, ast.expr):
                yield parent, name if at is None else (name, at), item
            for inner in item._fields:
                if not (isinstance(item, ast.JoinedStr) or inner in ("annotation", "ctx")):
                    yield from _within(item, inner)


@contextlib.contextmanager
def _replaced(parent: Any, place: Any, new: ast.AST) -> Iterator[None]:
    """`new` in the tree at that place, for a while."""
    holder, at = (getattr(parent, place[0]), place[1]) if isinstance(place, tuple) else (parent, place)
    old = holder[at] if isinstance(holder, list) else getattr(holder, at)
    put = holder.__setitem__ if isinstance(holder, list) else lambda key, value: setattr(holder, key, value)
    put(at, new)
    try:
        yield
    finally:
        put(at, old)


def _text(statement: ast.stmt) -> str:
    """A statement on one line: its head where it holds others."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.With)):
        statement = type(statement)(**{**{name: getattr(statement, name, None) for name in statement._fields}, "body": [ast.Pass()], "orelse": []})
        return ast.unparse(ast.fix_missing_locations(statement)).split("\n")[0]
    return " ".join(ast.unparse(ast.fix_missing_locations(statement)).split())


def _made(tree: ast.Module, names: dict[str, Any], name: str) -> Callable | None:
    """The function or class that the tree now defines, or None where it defines none."""
    space = dict(names)
    try:
        exec(compile(ast.fix_missing_locations(tree), "<mutant>", "exec"), space)  # noqa: S102 - the staff's own reference, one slip away
    except Exception:  # noqa: BLE001 - no program: nothing to judge
        return None
    return space[name]
