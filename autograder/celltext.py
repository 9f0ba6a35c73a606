"""What the text of a cell says, read without running it."""

from __future__ import annotations

import ast
import builtins
import html
import re
import textwrap
from functools import lru_cache

# Code and formulas, where a reader would see an entity as it is written; or a single sign that could begin a tag.
_LITERAL = re.compile(
    r"^(?P<fence>`{3,9}|~{3,9}).{,5000}?^(?P=fence)|(?P<tick>`{1,9})(?!`).{1,999}?(?<!`)(?P=tick)(?!`)|"
    r"\$\$.{1,999}?\$\$|\\begin\{(?P<name>[a-z]{1,20}\*?)\}.{1,999}?\\end\{(?P=name)\}|(?<!\\)\$[^$\n]{1,999}\$|"
    r"<(?=[A-Za-z/!?])", re.DOTALL | re.MULTILINE)
_WRITTEN_OUT = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|colon|Tab|NewLine);")


def without_html(text: str) -> str:
    """A student's Markdown in which no HTML, and no link to a script, is left to run in the browser of whoever reads it.

    Nor is there a link to an attachment: those are not kept, and a page with a missing one cannot be made.
    """
    text = _WRITTEN_OUT.sub(lambda found: html.unescape(found[0]), text)  # or they would spell a scheme that is not seen below
    text = re.sub(r"&(?:amp;?)*(?=#|colon;|Tab;|NewLine;)", "& ", text, flags=re.IGNORECASE)  # renderers decode more than once
    text = re.sub(r"(javascript|vbscript|attachment)(?=[\s\\]*:)", r"\1 ", text, flags=re.IGNORECASE)  # with a blank it is no address
    return _LITERAL.sub(_harmless, text)


def _harmless(found: re.Match[str]) -> str:
    """Either way it is no tag, whether or not a renderer agrees about what is code: only its looks depend on that."""
    return "&lt;" if found[0] == "<" else re.sub(r"<(?=[A-Za-z/!?])", "< ", found[0])


_PROMPT = re.compile(r"^ *(?:>>> ?|\.\.\. ?|In \[\d*\]: |   \.\.\.+: ?)", re.MULTILINE)
_FENCE = re.compile(r"^```[^\n`]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def plain(source: str) -> str:
    """A cell as Jupyter reads it: without pasted prompts and an indentation of the whole."""
    return textwrap.dedent(_PROMPT.sub("", source) if _PROMPT.match(source.lstrip("\n")) else source)


def code_in_markdown(source: str) -> str:
    """What of a Markdown cell may be code: its fenced blocks, or all of it where there are none."""
    blocks = _FENCE.findall(source)
    return "\n".join(blocks) if blocks else source


def defined_names(source: str) -> list[str]:
    """The names of functions and classes (and plain assignments) at the top level of a cell, even one that does not parse."""
    found = re.findall(r"^(?:async\s+)?(?:def|class)\s+([A-Za-z_]\w*)|^([A-Za-z_]\w*)\s*=(?!=)", plain(source), re.MULTILINE)
    return [one or other for one, other in found]


def definitions(source: str, name: str) -> int:
    """How often a cell defines `name`; plain assignments count once, and not beside a function."""
    if _body(source):
        return sum(getattr(node, "name", None) == name for node in _body(source)) or int(name in bound_names(source))
    count = len(re.findall(rf"^(?:async\s+)?(?:def|class)\s+{re.escape(name)}\b", plain(source), re.MULTILINE))
    return count or int(name in defined_names(source))


def bound_names(source: str) -> frozenset[str]:
    """All names that a cell binds at its top level: functions, classes, assignments and imports; none where it does not parse."""
    body = _body(source)
    bound = {node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
             and not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return frozenset(bound)


def completes(source: str, name: str) -> bool:
    """Whether a cell adds to the function or class `name` from outside: ``name.forward = …``, ``setattr(name, …)``, ``@adds_to(name)``."""
    def is_it(node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == name

    for node in (node for statement in _body(source) for node in ast.walk(statement)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []
        if any(isinstance(target, ast.Attribute) and is_it(target.value) for target in targets):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr" and any(map(is_it, node.args[:1])):
            return True
        if any(isinstance(by, ast.Call) and any(map(is_it, by.args)) for by in getattr(node, "decorator_list", ())):
            return True
    return False


def used_names(source: str) -> frozenset[str]:
    """The names that a cell uses and binds nowhere, built-in ones left out; none where it does not parse."""
    nodes = [node for statement in _body(source) for node in ast.walk(statement)]
    loaded = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)} | {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    bound |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    bound |= {(alias.asname or alias.name).split(".")[0] for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
    return frozenset(loaded - bound - set(dir(builtins)))


@lru_cache(maxsize=256)
def _body(source: str) -> list[ast.stmt]:
    text = "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in plain(source).split("\n"))
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def same_code(one: str, other: str) -> bool:
    """Whether two cells hold the same code, comments, blank lines and docstrings aside."""
    if one.strip() == other.strip():
        return True
    try:
        return _skeleton(one) == _skeleton(other)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def is_stub(source: str, given: str) -> bool:
    """Whether every function and method in the cell does nothing but raise NotImplementedError, or is as the course `given` it."""
    try:
        body, handed_out = ast.parse(source).body, {ast.dump(node) for node in ast.walk(ast.parse(given)) if isinstance(node, ast.FunctionDef)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    if not all(isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in body):
        return False
    functions = [f for node in body for f in (node.body if isinstance(node, ast.ClassDef) else [node])
                 if isinstance(f, ast.FunctionDef)]
    return bool(functions) and all(
        ast.dump(f) in handed_out or all(isinstance(s, ast.Raise) and "NotImplementedError" in ast.dump(s) for s in f.body if not _is_docstring(s))
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
