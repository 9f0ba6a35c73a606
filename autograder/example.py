"""An anonymous example: a student's code to be shown to others, without comments, docstrings, names and paths, and bounded."""

from __future__ import annotations

import ast
import io
import textwrap
import tokenize
from typing import Callable

LINES, WIDTH = 30, 140
LONGEST = 20_000


def anonymous_code(source: str, scrubbed: Callable[[str], str]) -> str | None:
    """`source` to be shown, or None where it is very long or no plain Python (then nothing can be taken out of it for sure).

    Comments and docstrings go as a whole; other strings lose names and paths; names of functions and variables stay.
    """
    if len(source) > LONGEST:
        return None
    try:
        words = _docstrings(ast.parse(source))
        text = _rewritten(source, words, scrubbed)
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return None
    lines = [line.rstrip() for line in text.split("\n")]
    lines = [line for line, before in zip(lines, ["", *lines]) if line or before]
    lines = textwrap.dedent("\n".join(lines)).strip("\n").split("\n")
    shown = [line if len(line) <= WIDTH else line[:WIDTH - 2] + " …" for line in lines[:LINES]]
    return "\n".join(shown + ([f"… ({len(lines) - LINES} more lines)"] if len(lines) > LINES else []))


def _docstrings(tree: ast.AST) -> set[tuple[int, int]]:
    """Where strings begin that stand by themselves as statements."""
    return {(node.lineno, node.col_offset) for node in ast.walk(tree) if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant) and isinstance(node.value.value, (str, bytes))}


def _rewritten(source: str, docstrings: set[tuple[int, int]], scrubbed: Callable[[str], str]) -> str:
    """The source with comments gone, docstrings as `...`, and other strings scrubbed; everything else stays in its place."""
    lines = source.split("\n")
    starts, texts = [0], []
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    done = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        begin, end = (starts[row - 1] + column for row, column in (token.start, token.end))
        column = len(lines[token.start[0] - 1][:token.start[1]].encode()) if token.start[0] <= len(lines) else 0  # ast counts bytes
        if token.type == tokenize.COMMENT:
            new = ""
        elif token.type == tokenize.STRING:
            new = "..." if (token.start[0], column) in docstrings else _string(token.string, scrubbed)
        elif token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
            new = scrubbed(source[begin:end])
        else:
            continue
        texts += [source[done:begin], new]
        done = end
    return "".join([*texts, source[done:]])


def _string(literal: str, scrubbed: Callable[[str], str]) -> str:
    return literal if scrubbed(literal) == literal else '"…"'
