"""Reading what a student handed in: any bytes become a list of cells, or a reason why not.

Stored outputs are dropped at once: they are never shown, never believed and do not count towards any size.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAX_BYTES = 100 * 1024 * 1024
MAX_CELLS = 2000
MAX_SOURCE = 1_000_000


class Unreadable(Exception):
    """The file is not a notebook. The message says what it is, where, and what helps."""


@dataclass
class SubmittedCell:
    """One cell as handed in. `number` counts from 1; `grade_id` and `cell_id` may be missing (empty)."""

    number: int
    cell_type: str
    source: str
    grade_id: str = ""
    cell_id: str = ""


@dataclass
class Submission:
    """A notebook as handed in, with remarks on what had to be mended to read it."""

    cells: list[SubmittedCell]
    remarks: list[str] = field(default_factory=list)


def read_submission(path: Path) -> Submission:
    """Read the notebook at `path`. Raises `Unreadable` (also for links and other non-files)."""
    if path.is_symlink() or not path.is_file():
        raise Unreadable(f"{path.name} is not a regular file; hand in the notebook itself")
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise Unreadable(f"{path.name} has {size >> 20} MB; clear its outputs and hand it in again (at most {MAX_BYTES >> 20} MB)")
    return parse_submission(path.read_bytes())


def parse_submission(data: bytes) -> Submission:
    """Turn bytes into cells. Raises `Unreadable`."""
    remarks: list[str] = []
    text = _decode(data, remarks)
    if not text.strip():
        raise Unreadable("the file is empty; save the notebook again and hand in that file")
    try:
        tree = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        marks = " (it holds merge-conflict markers: <<<<<<<)" if "<<<<<<<" in text else ""
        raise Unreadable(f"not a notebook: not valid JSON at line {error.lineno}, column {error.colno}{marks}; "
                         "open it in Jupyter, save it, and hand in that file") from None
    except (RecursionError, ValueError):
        raise Unreadable("not a notebook: JSON nested beyond reason, or numbers of thousands of digits") from None
    return Submission(_cells(tree), remarks)


def _decode(data: bytes, remarks: list[str]) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            remarks.append(f"The file begins with a byte-order mark ({encoding}); it was read as such.")
            return data[len(mark):].decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        remarks.append(f"The file is not UTF-8 (byte {error.start}); it was read as Latin-1.")
        return data.decode("latin-1")


def _cells(tree: Any) -> list[SubmittedCell]:
    if not isinstance(tree, dict):
        raise Unreadable(f"not a notebook: the file holds a JSON {type(tree).__name__}, not a notebook")
    raw = tree.get("cells")
    if raw is None and isinstance(tree.get("worksheets"), list):  # nbformat 3
        sheets = [sheet.get("cells") for sheet in tree["worksheets"] if isinstance(sheet, dict)]
        raw = [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]
    if not isinstance(raw, list):
        raise Unreadable("not a notebook: it has no list of cells")
    if len(raw) > MAX_CELLS:
        raise Unreadable(f"the notebook has {len(raw):,} cells (at most {MAX_CELLS:,})")
    cells = [_cell(number, cell) for number, cell in enumerate(raw, 1) if isinstance(cell, dict)]
    if sum(len(cell.source) for cell in cells) > MAX_SOURCE:
        raise Unreadable(f"the notebook's cells hold more than {MAX_SOURCE:,} characters of text")
    return cells


def _cell(number: int, raw: dict) -> SubmittedCell:
    source = raw.get("source", raw.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    metadata = raw.get("metadata") if isinstance(raw.get("metadata"), dict) else {}
    nbgrader = metadata.get("nbgrader") if isinstance(metadata.get("nbgrader"), dict) else {}
    kind = raw.get("cell_type")
    return SubmittedCell(number, kind if isinstance(kind, str) and kind in ("code", "markdown", "raw") else "code",
                         clean_text(source).replace("\r\n", "\n").replace("\r", "\n") if isinstance(source, str) else "",
                         _text(nbgrader.get("grade_id")), _text(raw.get("id") or metadata.get("id")))


def _text(value: Any) -> str:
    return clean_text(value) if isinstance(value, str) else ""


def clean_text(text: str) -> str:
    """`text` without lone surrogates, which no file and no database can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
