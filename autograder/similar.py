"""Similar code: the normal form of an answer, in which names, comments and layout do not count, and who shares one.

No library is taken for it: those there are (copydetect, and what builds on Moss's winnowing) compare whole files by runs of tokens in which
every name is the same; in answers of five lines all right ones then look alike. Here two answers are the same only when one becomes the
other by renaming, and only answers long enough for that to mean something are looked at.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Iterable

from autograder.celltext import plain

LONG = 70       # nodes of the syntax tree: below it, independent right answers often coincide
OBVIOUS = 0.25  # a form that so many share is the one that lies near
FEW = 8         # in a class smaller than this nothing is called obvious for being shared
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Group:
    """Students whose answers to these exercises are the same after renaming."""

    students: tuple[str, ...]
    exercises: tuple[str, ...]


@dataclass(frozen=True)
class Similar:
    """What was found: the groups, and by exercise how many answers were left out as known or obvious."""

    groups: list[Group]
    left_out: dict[str, int]


def normal_form(source: str) -> str | None:
    """A mark of the code, the same for all renamings, comments, docstrings and layouts; None where it is short or no Python."""
    text = "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in plain(source).split("\n"))
    try:
        tree = ast.parse(text)
        _without_words(tree)
        tree = _Renamed(tree).visit(tree)
        size = sum(not isinstance(node, (ast.expr_context, ast.operator, ast.Import, ast.ImportFrom, ast.alias)) for node in ast.walk(tree))
        return hashlib.sha256(ast.dump(tree).encode("utf-8", "replace")).hexdigest()[:32] if size >= LONG else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _without_words(tree: ast.AST) -> None:
    """Take out docstrings, annotations and imports."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _says_nothing(one)]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None


def _says_nothing(node: ast.AST) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom)) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _own_names(body: ast.AST) -> dict[str, str]:
    """The names that a function, class or cell gives itself, but not those inside of functions and classes in it; no numbers yet."""
    names: dict[str, str] = {}
    left = list(ast.iter_child_nodes(body))
    while left:
        node = left.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = ""
        elif isinstance(node, ast.arg):
            names[node.arg] = ""
        elif isinstance(node, (*_SCOPES, ast.ExceptHandler)) and node.name and not node.name.startswith("__"):
            names[node.name] = ""
        if not isinstance(node, (*_SCOPES, ast.Lambda)):
            left += ast.iter_child_nodes(node)
    return names


class _Renamed(ast.NodeTransformer):
    """Gives own names numbers, in the order in which they are met. (`ast` asks for a class here.)"""

    def __init__(self, tree: ast.AST) -> None:
        self.scopes, self.met = [_own_names(tree)], 0
        self.kept = {node.attr: "" for node in ast.walk(tree) if _of_self(node) and isinstance(node.ctx, ast.Store)}

    def _new(self, name: str, scopes: list[dict[str, str]]) -> str:
        own = next((scope for scope in reversed(scopes) if name in scope), None)
        if own is None:
            return name
        if not own[name]:
            self.met += 1
            own[name] = f"n{self.met}"
        return own[name]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if _of_self(node):
            node.attr = self._new(node.attr, [self.kept])
        for kind, field in ((ast.Name, "id"), (ast.arg, "arg"), (_SCOPES, "name"), (ast.ExceptHandler, "name")):
            if isinstance(node, kind) and getattr(node, field):
                setattr(node, field, self._new(getattr(node, field), self.scopes))
        inner = isinstance(node, (*_SCOPES, ast.Lambda))
        self.scopes += [_own_names(node)] if inner else []
        node = super().generic_visit(node)
        del self.scopes[len(self.scopes) - inner:]
        return node


def _of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def similar_code(answers: dict[str, dict[str, str]], known: dict[str, Iterable[str]]) -> Similar:
    """Who handed in the same code. `answers`: exercise to student to source; `known`: exercise to the staff's own right answers."""
    shared: dict[tuple[str, ...], list[str]] = {}
    left_out: dict[str, int] = {}
    for exercise, sources in answers.items():
        forms = {student: form for student, source in sources.items() if (form := normal_form(source))}
        count = Counter(forms.values())
        staff = {normal_form(source) for source in known.get(exercise, ())}
        obvious = {form for form, times in count.items() if len(sources) >= FEW and times > OBVIOUS * len(sources)}
        left_out[exercise] = sum(count[form] for form in count if form in staff | obvious)
        for form, times in count.items():
            if times > 1 and form not in staff | obvious:
                group = tuple(sorted(student for student, own in forms.items() if own == form))
                shared.setdefault(group, []).append(exercise)
    groups = [Group(students, tuple(exercises)) for students, exercises in shared.items()]
    return Similar(
        sorted(groups, key=lambda group: (-len(group.exercises), group.students)), {name: n for name, n in left_out.items() if n}
    )
