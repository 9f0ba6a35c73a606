"""What the odd submissions are made of: the attention release with the reference answers typed in, and ways to change it."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable

from support import ROOT

from autograder.answers import filled_in, reference_answers
from autograder.demo import WRITTEN

CORRECT, RAISED, NOT_ATTEMPTED, UNREADABLE, WRONG = "correct", "raised", "not_attempted", "unreadable", "wrong"
NAME = "attention.ipynb"
Notebook = dict[str, Any]


@dataclass(frozen=True)
class Odd:
    """One odd submission.

    what: what is odd about it. outcome: what should come of it. says: a regular expression that a remark or the reason matches;
    empty where nothing is repaired and nothing said. data: the notebook's bytes; or place: writes the student's folder, given
    its path. student: the name of the student's folder where that is what is odd. lost: the exercises that are not correct, with
    their outcomes. written: whether the written answer is there. by_nbgrader: why nbgrader's own command refuses it, if it does.
    """

    what: str
    outcome: str
    says: str = ""
    data: bytes = b""
    place: Callable[[Path], None] | None = None
    student: str = ""
    lost: dict[str, str] = field(default_factory=dict)
    written: bool = True
    by_nbgrader: str = ""

    @property
    def name(self) -> str:
        """The student's folder: what is odd and what should come of it."""
        return self.student or f"{self.what}__{self.outcome}"

    def write(self, submitted: Path) -> None:
        """Write the submission under ``submitted/<student>/attention``."""
        folder = submitted / self.name / "attention"
        folder.mkdir(parents=True)
        if self.place is not None:
            self.place(folder)
        else:
            (folder / NAME).write_bytes(self.data)


@lru_cache
def answers() -> dict[str, str]:
    """The reference answers, and a text for the written question."""
    return reference_answers(ROOT, "attention") | {"why-divide-by-the-root": WRITTEN}


@lru_cache
def release() -> str:
    """The release notebook as text."""
    return (ROOT / "release/attention/attention.ipynb").read_text(encoding="utf-8")


@lru_cache
def right_text() -> str:
    """The right notebook as text."""
    return filled_in(release(), answers())


def right() -> Notebook:
    """The right notebook as a tree of one's own, every source a string."""
    notebook = json.loads(right_text())
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


def data_of(notebook: Any) -> bytes:
    """A notebook's bytes as Jupyter writes them."""
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def changed(change: Callable[[Notebook], Any]) -> bytes:
    """The bytes of the right notebook after `change`."""
    notebook = right()
    change(notebook)
    return data_of(notebook)


def cell_of(notebook: Notebook, name: str) -> dict[str, Any]:
    """The cell with that id."""
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def place_of(notebook: Notebook, name: str) -> int:
    """Where the cell with that id stands."""
    return notebook["cells"].index(cell_of(notebook, name))


def stub_of(name: str) -> str:
    """What the release has in the cell with that id."""
    return "".join(cell_of(json.loads(release()), name)["source"])


def own(source: str, kind: str = "code") -> dict[str, Any]:
    """A cell of the student's own."""
    cell: dict[str, Any] = {"cell_type": kind, "id": "mine", "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def insert(notebook: Notebook, cell: dict[str, Any], *, before: str = "", after: str = "") -> None:
    """Put a cell before or after the one with that id."""
    notebook["cells"].insert(place_of(notebook, before) if before else place_of(notebook, after) + 1, cell)


def with_source(name: str, source: Any) -> bytes:
    """The right notebook with another text in one cell."""
    return changed(lambda notebook: cell_of(notebook, name).update(source=source))


def with_own(source: str, *, before: str = "softmax", kind: str = "code") -> bytes:
    """The right notebook with a cell of the student's own in it."""
    return changed(lambda notebook: insert(notebook, own(source, kind), before=before))


def double(notebook: Notebook, name: str) -> dict[str, Any]:
    """Copy a cell to the end of the notebook, with another id as Jupyter does; returns the copy."""
    second = copy.deepcopy(cell_of(notebook, name)) | {"id": f"copy-of-{name}"[:60]}
    notebook["cells"].append(second)
    return second
