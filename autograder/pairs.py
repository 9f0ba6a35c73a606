"""Two mistakes at once: an answer that makes both, composed from two misconceptions that are written down singly.

Of functions the sources are merged: what tells each of the two from the same right answer is put into that right answer, as a merge of
two branches of a text does; where both changed the same words there is no pair. Of classes the one inherits from the other.
A pair is only a guess. It is named when it gives all of a student's answers, and never otherwise.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import sys
import textwrap
import warnings
from functools import lru_cache
from typing import Callable

from autograder.exercise import Answer, Exercise

_TOKENS = re.compile(r"\n *|[rbfu]{0,2}'[^'\n]*'|\d[\d_]*\.?\d*(?:e[-+]?\d+)?|\w+|\.\.\.|\*\*|//|[-+*/@<>=!:&|^%]=|[^\w\s]")
Edit = tuple[int, int, list[str]]  # the tokens from the first to the second place are replaced by these


def both(exercise: Exercise, one: Answer, other: Answer) -> Answer | None:
    """An answer that makes both mistakes, or None where they cannot be composed."""
    compose = _classes if exercise.parameters is not None else _functions
    function = compose(exercise, one.function, other.function)
    return None if function is None else Answer(f"{one.name} {other.name}", function, f"{one.tell}; and like {other.tell}")


def _classes(exercise: Exercise, one: type, other: type) -> type | None:
    """A class that inherits from both. Of a method that both have, the one that calls ``super()`` wraps the other."""
    shared = [name for name, value in vars(one).items() if inspect.isfunction(value) and inspect.isfunction(vars(other).get(name))]
    order = next(((a, b) for a, b in ((one, other), (other, one)) if all(_calls_super(a, name) for name in shared)), None)
    if order is None:
        return None
    try:
        return type(f"{one.__name__}_{other.__name__}", order, {})
    except TypeError:  # one is the other's base, or the orders of their bases do not agree
        return None


def _calls_super(kind: type, method: str) -> bool:
    return "__class__" in vars(kind)[method].__code__.co_freevars


def _functions(exercise: Exercise, one: Callable, other: Callable) -> Callable | None:
    found = []
    for base in _right(exercise):
        ours, theirs = _edits(base, one), _edits(base, other)
        if ours and theirs and not _overlap(ours, theirs):
            found.append((sum(end - start + len(new) for start, end, new in ours + theirs), len(found), base, ours + theirs))
    if not found:
        return None
    _, _, base, edits = min(found)
    tokens = _tokens(base)
    for start, end, new in reversed(sorted(edits, key=lambda edit: edit[:2])):
        tokens[start:end] = new
    return _made(" ".join(tokens), one)


def _right(exercise: Exercise) -> list[Callable]:
    return [exercise.reference.function, *(known.function for known in exercise.alternates)]


@lru_cache(maxsize=None)
def _edits(base: Callable, wrong: Callable) -> list[Edit]:
    """What turns the source of `base` into that of `wrong`."""
    one, other = _tokens(base), _tokens(wrong)
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return [(i, j, other[k:m]) for kind, i, j, k, m in matcher.get_opcodes() if kind != "equal"]


def _overlap(ours: list[Edit], theirs: list[Edit]) -> bool:
    """Whether both change the same words; two insertions at one place do not, and stand there one after the other."""
    return any(start < end_too and start_too < end or start == start_too and (start, end) != (start_too, end_too)
               or start == start_too and start < end for start, end, _ in ours for start_too, end_too, _ in theirs)


def _tokens(function: Callable) -> list[str]:
    return _TOKENS.findall(_source(function))


@lru_cache(maxsize=None)
def _source(function: Callable) -> str:
    """A function's source under one name, without decorators and docstring, laid out in one way."""
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if not isinstance(node, ast.FunctionDef):
        return ""
    node.name, node.decorator_list = "both", []
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:]
    return ast.unparse(node)


def _made(source: str, near: Callable) -> Callable | None:
    """The function of that source, which sees the names that `near` sees. None where it is no Python, or might not end."""
    if re.search(r"\bwhile\b", source):
        return None
    space = dict(vars(sys.modules[near.__module__]))
    try:
        with warnings.catch_warnings(action="ignore"):
            exec(compile(source, "<two misconceptions>", "exec"), space)  # the staff's own text
    except SyntaxError:
        return None
    return space.get("both")
