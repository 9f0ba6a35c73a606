"""Gradescope: the zip that runs an assignment's checks there, made of the kit, the assignment's own staff files and two scripts.

The same course, kit and seed give the same bytes. Nothing of the course goes along that grading does not need: no other assignment, no
address of a database, no student's name.
"""

from __future__ import annotations

import io
import json
import stat
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Iterator

from packaging.requirements import Requirement

from autograder.course import Course, Limits
from autograder.places import CourseError, has_staff_half

KIT = "transformer-homework"
PACKAGE = Path(__file__).parent
SPARE = 30             # seconds of Gradescope's time that are left for starting and for saying what happened
SLOWER = 3             # half a core: what takes a second here may take three there
WORKER_MB = 600        # address space that torch takes in a worker before there is any answer
VISIBLE, AFTER_DUE, AFTER_PUBLISHED, HIDDEN = VISIBILITIES = ("visible", "after_due_date", "after_published", "hidden")


@dataclass(frozen=True)
class There:
    """What is chosen for the run there: least isolation level, how hidden checks are shown, the container's minutes and memory, pip."""

    least: str
    hidden: str = VISIBLE
    minutes: int = 10
    memory_mb: int = 768
    pip: str = ""


def make_zip(root: Path, course: Course, assignment: str, there: There) -> bytes:
    """The autograder zip. Raises `CourseError` when the assignment is not built or its staff files are missing."""
    release = root / "release" / assignment / f"{assignment}.ipynb"
    if not release.is_file():
        raise CourseError(f"{release} does not exist; make it with: autograder build {assignment}")
    if not has_staff_half(assignment, root):
        raise CourseError(
            f"{root / 'solutions' / assignment}: the staff files are missing, and the checks there need them; run this where they are"
        )
    files = {
        "setup.sh": _script("setup.sh", there),
        "run_autograder": _script("run_autograder", there),
        "requirements.txt": "".join(f"{one}\n" for one in _requirements()).encode(),
        "constraints.txt": "".join(f"{one}\n" for one in pins()).encode(),
        "settings.json": json.dumps({"assignment": assignment, "least": there.least, "hidden": there.hidden}, indent=1).encode() + b"\n",
        "course/course.yaml": _course_text(course, assignment, there),
        f"course/release/{assignment}/{assignment}.ipynb": release.read_bytes(),
    }
    files |= {f"kit/autograder/{path.relative_to(PACKAGE).as_posix()}": path.read_bytes() for path in _files(PACKAGE)}
    files |= {f"course/solutions/{assignment}/{path.name}": path.read_bytes() for path in _files(root / "solutions" / assignment)}
    return _zipped(files)


def _files(folder: Path) -> Iterator[Path]:
    return (
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in (".py", ".json", ".html", ".sh") and "__pycache__" not in path.parts
    )


def _zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.create_system = 3  # Unix, or the permissions would not count
            mode = 0o755 if "/" not in name and data.startswith(b"#!") else 0o644 if name.startswith("kit/") else 0o600
            info.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _script(name: str, there: There) -> bytes:
    text = (PACKAGE / "pages" / f"gradescope-{name.removesuffix('.sh')}.sh").read_text(encoding="utf-8")
    return text.replace("@SECONDS@", str(there.minutes * 60 - SPARE)).replace("@PIP@", there.pip).encode()


def _course_text(course: Course, assignment: str, there: There) -> bytes:
    """A course.yaml (JSON is YAML) with what grading this one assignment needs, and the limits for the machine there."""
    known = {
        "course": course.course,
        "seed": course.seed,
        "assignments": [{"name": assignment}],
        "isolation": course.isolation.model_dump(),
        "limits": _limits(course.limits, there).model_dump(),
    }
    return json.dumps(known, indent=1).encode() + b"\n"


def _limits(limits: Limits, there: There) -> Limits:
    """More time for a call and a check on the slower machine, so that right answers stay right; less for all of it, and for memory."""
    whole = min(limits.submission_seconds, (there.minutes * 60 - SPARE) * 0.4)  # a second, clean worker may take as long again
    return limits.model_copy(update={
        "call_seconds": min(limits.call_seconds * SLOWER, whole), "check_seconds": min(limits.check_seconds * SLOWER, whole),
        "cell_seconds": min(limits.cell_seconds, whole), "submission_seconds": whole,
        "memory_mb": max(1024, min(limits.memory_mb, WORKER_MB + there.memory_mb // 2))})


def _requirements() -> list[str]:
    """What the kit and its staff's tools need, as the installed kit says."""
    try:
        needs = [Requirement(text) for text in metadata.requires(KIT) or []]
    except metadata.PackageNotFoundError as error:
        raise CourseError("the kit is not installed as a package, so its requirements are not known; install it with: "
                          "pip install -c constraints.txt '.[staff]'") from error
    chosen = [need for need in needs if need.marker is None or need.marker.evaluate({"extra": "staff"})]
    return sorted(f"{need.name}{need.specifier}" for need in chosen)


def pins() -> list[str]:
    """The exact versions, as installed here, of all that is required there, directly or not."""
    found: dict[str, str] = {}
    left = [Requirement(text) for text in _requirements()]
    while left:
        need = left.pop()
        name = need.name.lower().replace("_", "-")
        try:
            installed = metadata.distribution(need.name)
        except metadata.PackageNotFoundError:
            continue  # of another system, or optional
        known = name in found
        found[name] = installed.version.partition("+")[0]  # a local build (+cpu) is not to be had everywhere
        inner = [] if known and not need.extras else [Requirement(text) for text in installed.requires or []]
        left += [one for one in inner if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *need.extras))]
    return [f"{name}=={version}" for name, version in sorted(found.items())]
