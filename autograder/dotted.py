"""What an expression of a student's stands for, read without running it: a library's function by its dotted name, a text, or their own.

Names are followed through imports, assignments, ``getattr``, ``vars``, ``importlib`` and the like, and texts through ``+``, f-strings and
``join``.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from dataclasses import dataclass
from typing import Mapping, MutableMapping

MAX_TEXT = 10_000


@dataclass(frozen=True)
class Library:
    """Something reached from an import, by its dotted name."""

    path: str


@dataclass(frozen=True)
class Text:
    """A text whose value is known."""

    value: str


@dataclass(frozen=True)
class Own:
    """Something that the notebook defines: a class, or anything else (a function, an object of its own class)."""

    is_class: bool = False


Meaning = Library | Text | Own | None
Names = MutableMapping[str, Meaning]
# In the lessons these come from the course's own cells.
GIVEN: Mapping[str, Meaning] = {"torch": Library("torch"), "F": Library("torch.nn.functional"), "nn": Library("torch.nn"),
                                "np": Library("numpy")}
NAMESPACE = Library("globals()")
_TAKES_NAME = ("__getattribute__", "__getattr__", "get", "__getitem__", "pop")


def meaning(node: ast.expr | None, names: Mapping[str, Meaning]) -> Meaning:
    """What `node` stands for where `names` hold, or None where that is not known (the result of a call, a parameter)."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        return member(meaning(node.value, names), node.attr)
    if isinstance(node, ast.Subscript):
        key = folded(node.slice, names)
        return _item(meaning(node.value, names), key, names) if key is not None else _text(node, names)
    if isinstance(node, ast.NamedExpr):
        return meaning(node.value, names)
    if isinstance(node, ast.Call):
        return _called(node, names)
    return _text(node, names)


def member(base: Meaning, name: str) -> Meaning:
    """The attribute `name` of `base`; what an object of the student's own keeps under a name is not known."""
    return Library(f"{base.path}.{name}") if isinstance(base, Library) else None


def _item(base: Meaning, key: str, names: Mapping[str, Meaning]) -> Meaning:
    if base == NAMESPACE:
        return names.get(key)
    if isinstance(base, Library):
        return Library(key) if base.path == "sys.modules" else Library(f"{base.path.removesuffix('.__dict__')}.{key}")
    return None


def _called(node: ast.Call, names: Mapping[str, Meaning]) -> Meaning:
    name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""
    first = node.args[0] if node.args else None
    if name in ("globals", "locals", "vars") and not node.args:
        return NAMESPACE
    if name == "vars":
        return member(meaning(first, names), "__dict__")
    if name in ("import_module", "__import__"):
        module = folded(first, names)
        return Library(module) if module else None
    if name in ("getattr", "getattr_static") and len(node.args) > 1:
        attribute = folded(node.args[1], names)
        return member(meaning(first, names), attribute) if attribute else None
    if name in _TAKES_NAME and isinstance(node.func, ast.Attribute) and node.args:
        base, key = meaning(node.func.value, names), folded(node.args[-1] if name.startswith("__geta") else first, names)
        return _item(base, key, names) if key is not None else None
    own = meaning(node.func, names)
    return Own() if isinstance(own, Own) and own.is_class else _text(node, names)


def _text(node: ast.expr | None, names: Mapping[str, Meaning]) -> Text | None:
    value = folded(node, names)
    return Text(value) if value is not None else None


def folded(node: ast.expr | None, names: Mapping[str, Meaning]) -> str | None:
    """The text that an expression gives, where it is made of constants alone."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        known = names.get(node.id)
        return known.value if isinstance(known, Text) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined("", [folded(node.left, names), folded(node.right, names)])
    if isinstance(node, ast.JoinedStr):
        return _joined("", [folded(part.value if isinstance(part, ast.FormattedValue) else part, names) for part in node.values])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join" and len(node.args) == 1:
        parts, glue = node.args[0], folded(node.func.value, names)
        if isinstance(parts, (ast.List, ast.Tuple)) and glue is not None:
            return _joined(glue, [folded(part, names) for part in parts.elts])
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
        backwards = folded(node.value, names)
        return backwards[::-1] if backwards is not None else None
    return None


def _joined(glue: str, parts: list[str | None]) -> str | None:
    if any(part is None for part in parts) or sum(map(len, parts)) > MAX_TEXT:
        return None
    return glue.join(parts)


def bind(names: Names, target: ast.expr, value: ast.expr | None) -> None:
    """Note what an assignment makes of the names in `target`."""
    if isinstance(target, ast.Name):
        names[target.id] = meaning(value, names)
    elif isinstance(target, (ast.Tuple, ast.List)):
        many = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        values = value.elts if many else [None] * len(target.elts)
        for one, its in zip(target.elts, values):
            bind(names, one, its)


def bind_import(names: Names, node: ast.Import | ast.ImportFrom, words: frozenset[str]) -> None:
    """Note an import; of ``from … import *`` only `words` are of interest."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            names[alias.asname or alias.name.split(".")[0]] = Library(alias.name if alias.asname else alias.name.split(".")[0])
        elif alias.name == "*":
            names.update({word: Library(f"{node.module}.{word}") for word in words})
        else:
            names[alias.asname or alias.name] = Library(f"{node.module or ''}.{alias.name}")


def inner(names: Names, arguments: ast.arguments, *, method: bool) -> Names:
    """The names inside a function: its parameters hide the outer ones, and one with a library as its default stands for that."""
    parameters = [*arguments.posonlyargs, *arguments.args]
    local: dict[str, Meaning] = {one.arg: None for one in (*parameters, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg) if one}
    defaults = [*zip(reversed(parameters), reversed(arguments.defaults)), *zip(arguments.kwonlyargs, arguments.kw_defaults)]
    local |= {one.arg: meaning(default, names) for one, default in defaults}
    if method and parameters:
        local[parameters[0].arg] = Own()
    return ChainMap(local, names)
