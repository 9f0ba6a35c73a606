"""The parts that a grade depends on, so that after an edit of some checks only what they touch is graded again.

An exercise's part changes with its two halves, with what these import from other exercises, with what the build recorded of it, and with its
cells in the release. Everything else (the kit, the libraries, the seed, the limits, the level, the rest of the release) is one common part.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import hypothesis
import torch

from autograder import __version__
from autograder.assignment import public_exercises
from autograder.course import Course

_IMPORT = re.compile(r"^\s*(?:from|import)\s+autograder\.exercises\.(\w+)\.(\w+)", re.MULTILINE)


def parts_of(root: Path, assignment: str) -> dict[str, str]:
    """A digest for each exercise of the assignment."""
    built = [_read(path) for path in (_package() / "exercises" / assignment / "built.json", root / "solutions" / assignment / "built.json")]
    cells = _cells(root, assignment)
    return {name: _part(root, assignment, name, built, cells.get(name, [])) for name in public_exercises(assignment)}


def common_part(root: Path, assignment: str, course: Course, level: str) -> str:
    """A digest of everything that no exercise has to itself."""
    names = set(public_exercises(assignment))
    told = (__version__, course.seed, torch.__version__, hypothesis.__version__, level, course.limits.model_dump_json())
    digest = hashlib.sha256(repr(told).encode())
    files = [*_package().glob("*.py"), *(_package() / "untrusted").glob("*.py"), *(_package() / "exercises" / assignment).glob("_*.py")]
    for path in sorted(files):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    rest = [cell for name, cells in _cells(root, assignment).items() if name not in names for cell in cells]
    digest.update("\0".join(rest).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def _part(root: Path, assignment: str, name: str, built: list[dict], cells: list[str]) -> str:
    digest = hashlib.sha256("\0".join(cells).encode("utf-8", "surrogatepass"))
    for path in sorted(_halves(root, assignment, name)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    for recorded in built:
        own = {section: value[name] for section, value in recorded.items() if isinstance(value, dict) and name in value}
        digest.update(json.dumps(own, sort_keys=True).encode())
    return digest.hexdigest()[:32]


def _halves(root: Path, assignment: str, name: str) -> set[Path]:
    """The files of both halves, and of every exercise that they import."""
    found: set[Path] = set()
    left = [_package() / "exercises" / assignment / f"{name}.py", root / "solutions" / assignment / f"{name}.py"]
    while left:
        path = left.pop()
        if path not in found and path.is_file():
            found.add(path)
            left += [_package() / "exercises" / of / f"{module}.py" for of, module in _IMPORT.findall(path.read_text(encoding="utf-8"))]
    return found


def _cells(root: Path, assignment: str) -> dict[str, list[str]]:
    """The release's cells as text, by the exercise that they belong to; "" has those that belong to none."""
    cells: dict[str, list[str]] = {}
    for cell in json.loads((root / "release" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8"))["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "").removesuffix("-checks")
        cells.setdefault(name, []).append(json.dumps(cell, sort_keys=True))
    return cells


def _read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _package() -> Path:
    return Path(__file__).parent
