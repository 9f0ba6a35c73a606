"""Reading what a student handed in: any bytes become a list of cells, or a reason why not.

Stored outputs are dropped at once: they are never shown, never believed and do not count towards any size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.filetext import Unreadable, conflict_sides, text_of, tree_of
from autograder.outputs import read_without_outputs

MAX_RAW = 1 << 30  # with its stored outputs
MAX_BYTES = 100 << 20  # without them
MAX_CELLS = 2000
MAX_SOURCE = 1_000_000


@dataclass
class SubmittedCell:
    """One cell as handed in. `number` counts from 1; `cell_type`, `grade_id` and `cell_id` may be missing (empty).

    nbgrader: its metadata, as they are. attachments: how many pictures were pasted into it.
    """

    number: int
    cell_type: str
    source: str
    grade_id: str = ""
    cell_id: str = ""
    nbgrader: dict[str, Any] = field(default_factory=dict)
    attachments: int = 0


@dataclass
class Submission:
    """A notebook as handed in, with remarks on what had to be mended to read it."""

    cells: list[SubmittedCell]
    remarks: list[str] = field(default_factory=list)


def read_submission(path: Path) -> Submission:
    """Read the notebook at `path`. Raises `Unreadable` (also for links and other non-files)."""
    return parse_submission(read_bytes(path))


def read_bytes(path: Path) -> bytes:
    """The bytes of the notebook at `path`, without large stored outputs. Raises `Unreadable` (also for links and other non-files)."""
    if path.is_symlink() or not path.is_file():
        raise Unreadable(f"{path.name} is not a regular file; hand in the notebook itself")
    size = path.stat().st_size
    if size > MAX_RAW:
        raise Unreadable(f"{path.name} has {size >> 20} MB; clear its outputs and hand it in again (at most {MAX_RAW >> 20} MB)")
    data = read_without_outputs(path)
    if len(data) > MAX_BYTES:
        raise Unreadable(f"{path.name} has {len(data) >> 20} MB even without its stored outputs (at most {MAX_BYTES >> 20} MB); "
                         "take out what is so large and hand it in again")
    return data


def parse_submission(data: bytes) -> Submission:
    """Turn bytes into cells. Raises `Unreadable`."""
    remarks: list[str] = []
    text = text_of(data, remarks)
    try:
        return Submission(_cells(tree_of(text), remarks), remarks)
    except Unreadable:
        resolved = _resolved(text, remarks)
        if resolved is None:
            raise
        return resolved


def _resolved(text: str, remarks: list[str]) -> Submission | None:
    """The notebook in a file with merge-conflict markers, where both sides hold the same cells."""
    sides = conflict_sides(text)
    if sides is None:
        return None
    try:
        ours, theirs = (_cells(tree_of(side), list(remarks)) for side in sides)
    except Unreadable:
        return None
    if ours != theirs:
        return None
    return Submission(ours, [*remarks, "The file held merge-conflict markers (<<<<<<<); both sides have the same cells, so it was read."])


def _cells(tree: dict[str, Any], remarks: list[str]) -> list[SubmittedCell]:
    raw = tree.get("cells")
    if raw is None and isinstance(tree.get("worksheets"), list):  # nbformat 3
        sheets = [sheet.get("cells") for sheet in tree["worksheets"] if isinstance(sheet, dict)]
        raw = [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]
    if not isinstance(raw, list):
        raise Unreadable("not a notebook: it has no list of cells")
    if len(raw) > MAX_CELLS:
        raise Unreadable(f"the notebook has {len(raw):,} cells (at most {MAX_CELLS:,})")
    cells = [_cell(number, cell, remarks) for number, cell in enumerate(raw, 1) if isinstance(cell, dict)]
    if sum(len(cell.source) for cell in cells) > MAX_SOURCE:
        raise Unreadable(f"the notebook's cells hold more than {MAX_SOURCE:,} characters of text")
    return cells


_CELL_TYPES = {"code": "code", "markdown": "markdown", "raw": "raw", "heading": "markdown"}  # the last is nbformat 3's


def _cell(number: int, raw: dict, remarks: list[str]) -> SubmittedCell:
    source = raw.get("source", raw.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    source = source if isinstance(source, str) else ""
    clean = clean_text(source)
    if clean != source:
        remarks.append(f"Cell {number} holds half a character (a lone surrogate); a question mark was put in its place.")
    metadata = raw.get("metadata") if isinstance(raw.get("metadata"), dict) else {}
    nbgrader = metadata.get("nbgrader") if isinstance(metadata.get("nbgrader"), dict) else {}
    kind, pictures = raw.get("cell_type"), raw.get("attachments")
    return SubmittedCell(number, _CELL_TYPES.get(kind, "") if isinstance(kind, str) else "",
                         clean.replace("\r\n", "\n").replace("\r", "\n"), _text(nbgrader.get("grade_id")),
                         _text(raw.get("id") or metadata.get("id")), nbgrader, len(pictures) if isinstance(pictures, dict) else 0)


def _text(value: Any) -> str:
    return clean_text(value) if isinstance(value, str) else ""


def clean_text(text: str) -> str:
    """`text` without lone surrogates, which no file and no database can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
