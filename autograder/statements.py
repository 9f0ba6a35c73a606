"""A notebook's top-level statements, and those on which one answer rests.

What a student tries out beside the answer (a comparison with a library's function, a test of their own) is not the answer.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Iterable

# With these a statement may give any name another meaning.
_FREE_NAMES = frozenset({"setattr", "globals", "locals", "vars", "exec", "eval", "get_ipython"})
_FREE_ATTRIBUTES = frozenset({"__setattr__", "__dict__", "modules", "run_cell", "run_line_magic", "run_cell_magic", "ex", "ev"})

_WRAPPING = re.compile(r"\A\s*%%(time|timeit|capture|prun)\b[^\n]*")  # magics that run the rest of the cell as Python


@dataclass(frozen=True)
class Statement:
    """One statement of a cell. It `binds` (or may change) names, and uses others; one that is `free` may change anything.

    attributes: the names of methods and attributes of the classes in it.
    """

    label: str
    source: str
    node: ast.stmt
    binds: frozenset[str]
    uses: frozenset[str]
    free: bool
    attributes: frozenset[str]


def statements_of(cells: Iterable[tuple[str, str]]) -> list[Statement]:
    """The statements of cells, which come as (label, source); those of a cell that is not valid Python are left out."""
    return [Statement(label, source, *parts) for label, source in cells for parts in _read(source)]


def resting_on(statements: list[Statement], name: str) -> list[Statement]:
    """The statements that decide what `name` is: its definitions, and all that they use in turn.

    A call of a method, or an assignment to an attribute, may change its object, a library included.
    """
    wanted, chosen = {name}, set()
    grown = True
    while grown:
        found = {number for number, one in enumerate(statements) if number not in chosen and (one.free or one.binds & wanted)}
        grown = bool(found)
        chosen |= found
        wanted = wanted.union(*(statements[number].uses for number in found))
    return [statements[number] for number in sorted(chosen)]


@lru_cache(maxsize=256)
def _read(source: str) -> tuple[tuple, ...]:
    try:
        body = ast.parse(as_python(source)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple((node, *_reach(node), _attributes(node)) for node in body)


def as_python(source: str) -> str:
    """A cell as Python, with its lines where they were: magics, shell lines and pasted prompts become what IPython makes of them."""
    source = _WRAPPING.sub("", source)
    special = any(line.lstrip()[:1] in ("%", "!", "?", ">", ".") or "In [" in line for line in source.split("\n"))
    if not special and source[:1] not in (" ", "\t"):
        return source
    from IPython.core.inputtransformer2 import TransformerManager
    try:
        return TransformerManager().transform_cell(source)
    except Exception:  # noqa: BLE001 - IPython raises SyntaxError and, on odd text, others
        return source


def _reach(node: ast.stmt) -> tuple[frozenset[str], frozenset[str], bool]:
    """The names that a statement binds, those it uses, and whether it may change anything."""
    binds, uses, free = set(), set(), False
    for inside in ast.walk(node):
        if isinstance(inside, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            binds.add(inside.name)
        elif isinstance(inside, (ast.Import, ast.ImportFrom)):
            binds |= {(alias.asname or alias.name).split(".")[0] for alias in inside.names}
            free = free or any(alias.name == "*" for alias in inside.names)
        elif isinstance(inside, ast.Name):
            (uses if isinstance(inside.ctx, ast.Load) else binds).add(inside.id)
            free = free or inside.id in _FREE_NAMES
        elif isinstance(inside, ast.Constant) and isinstance(inside.value, str) and inside.value.isidentifier():
            uses.add(inside.value)
        elif isinstance(inside, ast.Attribute):
            free = free or inside.attr in _FREE_ATTRIBUTES
    changed = {_root(inside) for inside in ast.walk(node)
               if isinstance(inside, (ast.Attribute, ast.Subscript)) and isinstance(inside.ctx, ast.Store)}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):  # it may change what lies outside it when it is called
        own = {inside.arg for inside in ast.walk(node.args) if isinstance(inside, ast.arg)} if hasattr(node, "args") else set()
        outside = changed - binds - {inside.arg for inside in ast.walk(node) if isinstance(inside, ast.arg)}
        return frozenset({node.name}), frozenset(uses - own), free or bool(outside)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        changed.add(_root(node.value.func))  # a method may change its object
    return frozenset(binds | changed), frozenset(uses | changed), free


def _attributes(node: ast.stmt) -> frozenset[str]:
    if not isinstance(node, ast.ClassDef):
        return frozenset()
    inside = list(ast.walk(node))
    return frozenset({one.name for one in inside if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))}
                     | {one.attr for one in inside if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)}
                     | {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)})


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
