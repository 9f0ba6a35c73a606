"""Intake: what a TA was sent (folders, LMS exports) becomes ``submitted/<student>/<assignment>/<assignment>.ipynb``.

Of several attempts the newest counts. Every file that was sent is kept under ``collected/<assignment>/<student>/``, and nothing
that is there already is ever overwritten by something else.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import Any, Iterable

from autograder.parcels import Item, Refused, opened
from autograder.places import another_assignment

_CANVAS = re.compile(r"^(?P<student>[^_]+)(?:_(?P<late>LATE|late))?_(?P<user>\d+)_(?P<upload>\d+)_(?P<name>.+)$")
_MOODLE = re.compile(r"^(?P<student>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?$")
_GRADESCOPE = re.compile(r"^submission_(?P<number>\d+)$")
_ATTEMPT = re.compile(r"(?:-(\d+)| \((\d+)\))$")  # Canvas appends -1, browsers (1)
NOTEBOOKS = (".ipynb", ".ipynb.txt", ".ipynb.json")  # some browsers add an ending
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz")
MOST_OTHERS = 20
NAME_BYTES = 180  # a file's name may have 255 bytes, and marks are put before and behind it
EARLIEST = datetime(1980, 1, 2, tzinfo=timezone.utc)  # a zip without times says 1980-01-01


@dataclass(frozen=True)
class Attempt:
    """One notebook that a student sent."""

    student: str
    item: Item
    when: datetime | None
    number: int

    @property
    def age(self) -> tuple:
        """Sorts later attempts last: by time, then by the number in the name, then by path, so that the order is always the same."""
        return (self.when or EARLIEST, self.number, str(self.item.path))


@dataclass
class Collected:
    """What an intake did or would do: the attempt taken for each student, those it stands before, what was refused or left, and the
    students whose notebook in ``submitted/`` was none of those that ever came, and was replaced. `late`: whom Canvas calls late."""

    taken: dict[str, Attempt] = field(default_factory=dict)
    older: dict[str, list[Attempt]] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    others: dict[str, list[Item]] = field(default_factory=dict)
    replaced: list[str] = field(default_factory=list)
    late: set[str] = field(default_factory=set)


def collect(root: Path, assignment: str, paths: Iterable[Path], *, dry_run: bool = False) -> Collected:
    """Take in everything at `paths`. With `dry_run` nothing is written."""
    collected = Collected()
    for path in paths:
        found = list(opened(path))
        collected.refused += [one for one in found if isinstance(one, Refused)]
        _sort(collected, [one for one in found if isinstance(one, Item)], assignment)
    for student, attempts in sorted(collected.older.items()):
        attempts.sort(key=lambda attempt: (not _another(attempt, assignment), attempt.age))
        _place(root, assignment, student, attempts, collected, dry_run)
    if not dry_run:
        for student, items in collected.others.items():
            for item in items:
                _keep(root, assignment, student, item)
            if student not in collected.older:
                _lay_down(root, assignment, student, items)
    return collected


def _another(attempt: Attempt, assignment: str) -> bool:
    """Whether it is the notebook of another assignment."""
    return bool(another_assignment(re.findall(r'"grade_id": ?"(\w+-checks)"', attempt.item.data.decode("utf-8", "replace")), assignment))


def _sort(collected: Collected, items: list[Item], assignment: str) -> None:
    """Give each file to its student: notebooks (and scripts, where there is no notebook) as attempts, the rest to be kept."""
    people = _gradescope_people(items)
    by_student: dict[str, list[tuple[Item, datetime | None]]] = {}
    for item in items:
        if item.path.name == "submission_metadata.yml":
            continue
        student, when = _owner(item, assignment, people)
        if any((canvas := _CANVAS.match(part)) and canvas["late"] and safe_name(f"{canvas['student']}_{canvas['user']}") == student for part in item.path.parts):
            collected.late.add(student)
        by_student.setdefault(student, []).append((item, when))
    for student, files in by_student.items():
        stamps = {str(item.path.parent): _stamp(item) for item, _ in files if item.path.name == "timestamp.txt"}
        notebooks = [(item, when) for item, when in files if item.path.name.lower().endswith(NOTEBOOKS)]
        chosen = notebooks or [(item, when) for item, when in files if item.path.suffix.lower() == ".py" and b"# %%" in item.data]
        for item, when in chosen:
            when = stamps.get(str(item.path.parent)) or when or item.changed
            match = _ATTEMPT.search(item.path.stem)
            number = int(next(filter(None, match.groups()))) if match else 0
            collected.older.setdefault(student, []).append(Attempt(student, item, when, number))
        rest = [item for item, when in files if (item, when) not in chosen and item.path.name != "timestamp.txt"]
        if rest:
            collected.others.setdefault(student, []).extend(rest)
        if not chosen and rest:
            collected.refused.append(Refused(rest[0].path, f"no notebook among what {student} sent; it was kept, and is graded as nothing with that reason"))


def _owner(item: Item, assignment: str, people: dict[str, tuple[str, datetime | None]]) -> tuple[str, datetime | None]:
    """Whose file it is, and when it was handed in where the export says so.

    The outermost name that an LMS gave decides: what is inside a student's own archive is the student's to name.
    """
    for part in item.path.parts:
        if part in people:
            return people[part]
        if moodle := _MOODLE.match(part):
            return safe_name(moodle["student"]), None
        if canvas := _CANVAS.match(part):
            return safe_name(f"{canvas['student']}_{canvas['user']}"), None
    parts = item.path.parts[:-1]
    nested = next((place for place, part in enumerate(parts) if place and part.lower().endswith(ARCHIVES)), None)
    folders = [part for part in parts[:nested] if not part.lower().endswith(ARCHIVES) and part not in ("submitted", assignment)]
    if folders:
        return safe_name(folders[-1]), None
    if nested is not None:  # a zip a student, inside a zip of all
        return safe_name(parts[nested].split(".")[0]), None
    return safe_name(_without_assignment(item.path.stem, assignment)), None


def _without_assignment(stem: str, assignment: str) -> str:
    """The student in a file's name such as ``attention_jane``: what is left without the assignment and the attempt."""
    left = re.sub(re.escape(assignment), "", _ATTEMPT.sub("", stem), flags=re.IGNORECASE).strip(" _-.")
    return left or stem


def _gradescope_people(items: list[Item]) -> dict[str, tuple[str, datetime | None]]:
    """Gradescope's folder names to student and time, from the export's metadata where there is one."""
    people: dict[str, tuple[str, datetime | None]] = {}
    for item in items:
        if item.path.name != "submission_metadata.yml":
            continue
        for folder, entry in _yaml(item.data).items():
            if isinstance(entry, dict):
                people[str(folder)] = (safe_name(_submitter(entry) or str(folder)), _time(entry.get(":created_at") or entry.get("created_at")))
    return people


def _yaml(data: bytes) -> dict[Any, Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    try:
        tree = YAML(typ="safe", pure=True).load(data.decode("utf-8", "replace"))
    except (YAMLError, ValueError, RecursionError):
        return {}
    return tree if isinstance(tree, dict) else {}


def _submitter(entry: dict[str, Any]) -> str:
    submitters = entry.get(":submitters") or entry.get("submitters") or []
    names = []
    for one in submitters if isinstance(submitters, list) else []:
        if isinstance(one, dict):
            names.append(next((str(one[key]) for key in (":sid", "sid", ":email", "email", ":name", "name") if one.get(key)), ""))
    return "+".join(filter(None, names))


def _time(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=timezone.utc)
    try:
        parsed = datetime.fromisoformat(str(value).replace(" UTC", "+00:00"))
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)


def _stamp(item: Item) -> datetime | None:
    from autograder.imports import nbgrader_api
    try:
        return nbgrader_api().utils.parse_utc(item.data.decode("utf-8", "replace").strip()).replace(tzinfo=timezone.utc)
    except (ValueError, OverflowError, TypeError):
        return None


def safe_name(name: str) -> str:
    """A name as one folder or file: composed accents, no separators, control characters or leading dots, short enough for any disk.

    One that a spreadsheet would take for a formula gets a mark before it (grades are exported to spreadsheets). A name that had to be shortened ends in a mark of its own, so that two students never become one.
    """
    name = unicodedata.normalize("NFC", name).encode("utf-8", "replace").decode("utf-8")
    name = "".join("_" if c in '/\\:\0' or unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in name).strip(" .")
    name = f"_{name}" if name.startswith(("=", "+", "-", "@")) else name
    if len(name) > 128 or len(name.encode()) > NAME_BYTES:
        mark = hashlib.sha256(name.encode()).hexdigest()[:16]
        name = f"{name[:100].encode()[:NAME_BYTES - 17].decode('utf-8', 'ignore')}~{mark}"
    return name or "unnamed"


def _place(root: Path, assignment: str, student: str, attempts: list[Attempt], collected: Collected, dry_run: bool) -> None:
    folder = root / "submitted" / student / assignment
    target = folder / f"{assignment}.ipynb"
    newest = attempts.pop()
    data = notebook_bytes(newest.item)
    if target.is_file() and target.read_bytes() == data:
        collected.unchanged.append(student)
    else:
        collected.taken[student] = newest
        if target.is_file() and not _came_before(root, assignment, student, target.read_bytes(), attempts):
            collected.replaced.append(student)
    if dry_run:
        return
    for attempt in (*attempts, newest):
        _keep(root, assignment, student, attempt.item)
    if student in collected.unchanged:
        return
    folder.mkdir(parents=True, exist_ok=True)
    if target.is_file():
        _keep(root, assignment, student, Item(PurePosixPath(f"before-{target.name}"), target.read_bytes(), None))
    _write(target, data)
    if newest.when and newest.when >= EARLIEST:
        _write(folder / "timestamp.txt", newest.when.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f UTC").encode())


def _lay_down(root: Path, assignment: str, student: str, items: list[Item]) -> None:
    """Put what somebody sent who sent no notebook where it is graded: nothing, with the reason, and a row like everybody's."""
    folder = root / "submitted" / student / assignment
    if not folder.exists():
        folder.mkdir(parents=True)
        for item in items[:MOST_OTHERS]:
            _write(folder / safe_name(item.path.name), item.data)


def _came_before(root: Path, assignment: str, student: str, data: bytes, attempts: list[Attempt]) -> bool:
    """Whether these bytes are one of the attempts, or of an earlier intake."""
    mark = hashlib.sha256(data).hexdigest()[:8]
    kept = root / "collected" / assignment / student
    return any(notebook_bytes(one.item) == data for one in attempts) or any(
        path.name.startswith(f"{mark}-") and not path.name.startswith(f"{mark}-before-") for path in (kept.iterdir() if kept.is_dir() else ()))


def notebook_bytes(item: Item) -> bytes:
    """The notebook as handed in; a percent script becomes one."""
    if item.path.suffix.lower() != ".py":
        return item.data
    import jupytext
    import nbformat
    notebook = jupytext.reads(item.data.decode("utf-8", "replace"), fmt="py:percent")
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"script-{number}"
    return nbformat.writes(notebook).encode("utf-8")


def _keep(root: Path, assignment: str, student: str, item: Item) -> None:
    """Keep a file as it came, under a name that another file's bytes cannot take."""
    mark = hashlib.sha256(item.data).hexdigest()[:8]
    path = root / "collected" / assignment / student / f"{mark}-{safe_name(item.path.name)}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, item.data)


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_bytes(data)
    temporary.replace(path)
