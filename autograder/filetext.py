"""The text of a handed-in file: its encoding, what it is when it is no notebook, and merge conflicts."""

from __future__ import annotations

import json
import re
from typing import Any

_MARKS = ((b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"),
          (b"\xfe\xff", "utf-16-be"))
_KINDS = ((b"%PDF", "a PDF file"), (b"PK\x03\x04", "a zip archive"), (b"\x1f\x8b", "a gzip archive"),
          (b"version https://git-lfs", "a Git LFS pointer and not the file itself"), (b"<!doctype html", "an HTML page"), (b"<html", "an HTML page"))
_HELPS = {"zip": "hand in the notebook that is in it (autograder collect takes archives as they are)", "HTML": "hand in the notebook itself (.ipynb)",
          "PDF": "hand in the notebook itself (.ipynb)", "gzip": "hand in the notebook that is in it"}
_TYPES = {list: "list", str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


class Unreadable(Exception):
    """The file is not a notebook. The message says what it is, where, and what helps."""


def text_of(data: bytes, remarks: list[str]) -> str:
    """`data` as text, with a remark where it is not plain UTF-8. Raises `Unreadable` when there is nothing in it."""
    text = _decoded(data, remarks)
    stripped = text.strip("\0")
    if stripped != text:
        if not stripped.strip():
            raise Unreadable(f"the file is empty: it holds nothing but {len(text):,} NUL characters; save the notebook again and hand in that file")
        remarks.append(f"{len(text) - len(stripped):,} NUL characters around the notebook's text were removed.")
    if not stripped.strip():
        raise Unreadable("the file is empty; save the notebook again and hand in that file")
    return stripped


def _decoded(data: bytes, remarks: list[str]) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            remarks.append(f"The file begins with a byte-order mark ({encoding}); it was read as such.")
            return data[len(mark):].decode(encoding, "replace").lstrip("\ufeff")
    encoding = json.detect_encoding(data)
    if encoding != "utf-8" and data.strip(b"\0"):
        remarks.append(f"The file is not UTF-8; it was read as {encoding}.")
        return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        remarks.append(f"The file is not UTF-8 (byte {error.start}); it was read as Latin-1.")
        return data.decode("latin-1")


def tree_of(text: str) -> dict[str, Any]:
    """The JSON object in `text`. Raises `Unreadable` with line and column."""
    try:
        tree = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        mark = re.search("^<{7}", text, re.MULTILINE)
        line = text.count("\n", 0, mark.start()) + 1 if mark else 0
        marks = f" (it holds merge-conflict markers: <<<<<<< in line {line}; choose one side)" if mark else ""
        kind = next((f" but {name}" for start, name in _KINDS if text[:40].lstrip(" \t\r\n").lower().startswith(start.decode("latin-1").lower())), "")
        helps = next((help for what, help in _HELPS.items() if what in kind), "open it in Jupyter, save it, and hand in that file")
        raise Unreadable(f"not a notebook{kind}: not valid JSON at line {error.lineno}, column {error.colno}{marks}; {helps}") from None
    except (RecursionError, ValueError):
        raise Unreadable("not a notebook: JSON nested beyond reason, or numbers of thousands of digits") from None
    if not isinstance(tree, dict):
        raise Unreadable(f"not a notebook: the file holds a JSON {_TYPES[type(tree)]}, not a notebook")
    return tree


def conflict_sides(text: str) -> tuple[str, str] | None:
    """Both sides of a text with Git's merge-conflict markers, or None where there are none or they do not match."""
    if "\n<<<<<<<" not in text:
        return None
    sides: dict[str, list[str]] = {"ours": [], "theirs": []}
    state = "both"
    follows = {("both", "<<<<<<<"): "ours", ("ours", "|||||||"): "base", ("ours", "======="): "theirs", ("base", "======="): "theirs",
               ("theirs", ">>>>>>>"): "both"}
    for line in text.split("\n"):
        if (state, line[:7]) in follows:
            state = follows[state, line[:7]]
            continue
        for side, lines in sides.items():
            if state in ("both", side):
                lines.append(line)
    return ("\n".join(sides["ours"]), "\n".join(sides["theirs"])) if state == "both" else None
