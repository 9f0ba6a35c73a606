"""``course.yaml`` as a typed model, with errors that name the line and the mending step."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path
from typing import Literal
from urllib.parse import quote
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from autograder.places import CourseError


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(_Strict):
    """What one submission may use. Times are wall-clock seconds unless they say CPU."""

    call_seconds: float = Field(5.0, gt=0, le=600, description="one call that is made by itself, for shrinking or where answers lead to further questions")
    check_seconds: float = Field(5.0, gt=0, le=600, description="all cases of one check")
    cell_seconds: float = Field(30.0, gt=0, le=3600, description="one cell of the notebook")
    submission_seconds: float = Field(300.0, gt=0, le=36000, description="the whole notebook")
    cpu_seconds: int = Field(240, gt=0, le=36000, description="CPU time of one worker")
    memory_mb: int = Field(3072, ge=1024, le=1_000_000, description="address space of one worker; importing torch takes 600")
    output_kb: int = Field(1000, ge=1, le=100_000, description="what all cells of a notebook may print and display")
    files_mb: int = Field(64, ge=1, le=100_000, description="what one worker may write to its own folder")
    threads: int = Field(512, ge=8, le=100_000, description="threads of all workers together (no worker may start a process)")


class Assignment(_Strict):
    """One assignment: its name is that of its folders, `due` a date with a time zone, `extensions` later dates by student."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    due: AwareDatetime | None = None
    extensions: dict[str, AwareDatetime] = {}

    @field_validator("extensions")
    @classmethod
    def _later_than_due(cls, extensions: dict[str, AwareDatetime], others: ValidationInfo) -> dict[str, AwareDatetime]:
        due = others.data.get("due")
        if extensions and due is None and "due" in others.data:
            raise ValueError("there are extensions but no due date to extend; add `due:` above them")
        for student, until in extensions.items():
            if due is not None and until < due:
                raise ValueError(f"the extension of {student} ends before the assignment is due; give it a date after {due.isoformat()}")
        return extensions


class Late(_Strict):
    """What is taken off late work. A day is 24 hours, or with `time_zone` it ends at the same time by the clock there."""

    grace_minutes: float = Field(0.0, ge=0, le=10080, description="so long after the due date nothing is taken off; days are counted from its end")
    percent_per_day: float = Field(ge=0, le=100, description="of all points given, for each day begun")
    most_percent: float = Field(100.0, ge=0, le=100, description="never more than this is taken off")
    nothing_after_days: int | None = Field(None, ge=0, le=3650, description="handed in later than so many days, nothing counts")
    time_zone: str | None = Field(None, description="an IANA name such as Europe/Berlin, for days of 23 and 25 hours")

    @field_validator("time_zone")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        try:
            name is None or ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            raise ValueError(f"there is no time zone {name!r}; give an IANA name such as Europe/Berlin") from None
        return name


class Isolation(_Strict):
    """The least isolation level at which student code is run."""

    least: Literal["isolated", "confined", "limited", "none"] = "confined"


class Course(_Strict):
    """The course: ``course.yaml`` read and checked."""

    course: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    seed: int = Field(ge=0)
    assignments: list[Assignment] = Field(min_length=1)
    db_url: str = "sqlite:///gradebook.db"
    gradebook_wait_seconds: float = Field(60.0, ge=0, le=86400, description="how long a locked or vanished database is waited for")
    late: Late | None = None
    limits: Limits = Limits()
    isolation: Isolation = Isolation()

    def assignment(self, name: str) -> Assignment:
        """The assignment of that name. Raises `CourseError` naming those there are."""
        for assignment in self.assignments:
            if assignment.name == name:
                return assignment
        raise CourseError(f"course.yaml has no assignment {name!r}; it lists {', '.join(a.name for a in self.assignments)}. "
                          "Use one of these, or add it under `assignments:`")


def find_root(start: Path | None = None) -> Path | None:
    """The course's root: the nearest folder, from `start` upwards, that holds ``course.yaml``."""
    start = (start or Path.cwd()).resolve()
    return next((folder for folder in (start, *start.parents) if (folder / "course.yaml").is_file()), None)


def course_here() -> tuple[Path, Course]:
    """The course that the working folder belongs to: its root and model. Raises `CourseError` where there is none."""
    root = find_root()
    if root is None:
        raise CourseError("no course.yaml in this folder or above it; run this in the course's folder")
    return root, read_course(root / "course.yaml")


def read_course(path: Path) -> Course:
    """Read ``course.yaml``. Raises `CourseError` with file, line and mending step."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    try:
        tree = YAML().load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CourseError(f"{path}: cannot be read ({error.strerror}); run the command in the course's folder") from error
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise CourseError(f"{path}:{line}: not valid YAML ({error.problem}); mend this line, then run the command again") from error
    except (YAMLError, UnicodeDecodeError) as error:
        raise CourseError(f"{path}:1: not valid YAML ({error}); save the file as UTF-8 text") from error
    try:
        course = Course.model_validate(_plain(tree))
    except ValidationError as error:
        raise CourseError(_explain(path, tree, error)) from error
    return course.model_copy(update={"db_url": _database(path, _line_of(tree, ("db_url",)), course.db_url)})


def _plain(tree: object) -> object:
    if isinstance(tree, dict):
        return {str(key): _plain(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_plain(value) for value in tree]
    if isinstance(tree, datetime):
        return tree if tree.tzinfo else tree.isoformat()
    return tree


def _explain(path: Path, tree: object, error: ValidationError) -> str:
    lines = []
    for problem in error.errors():
        where = ".".join(map(str, problem["loc"])) or "the file"
        if problem["type"] == "value_error":  # our own sentence, which says what mends it
            lines.append(f"{path}:{_line_of(tree, problem['loc'])}: {where}: {problem['ctx']['error']}")
            continue
        if problem["type"].startswith(("datetime", "timezone", "date")):
            lines.append(f"{path}:{_line_of(tree, problem['loc'])}: {where}: {str(problem['input'])!r:.60} is no date with a time and a time zone; "
                         "write it like 2027-02-20T23:59:00+01:00")
            continue
        mend = ("remove it or correct its spelling" if problem["type"] == "extra_forbidden" else
                "add it" if problem["type"] == "missing" else
                "correct it" if problem["loc"][:1] == ("db_url",) else  # which may hold a password
                f"it holds {problem['input']!r}"[:80] + "; correct it")
        lines.append(f"{path}:{_line_of(tree, problem['loc'])}: {where}: {problem['msg'].lower()}; {mend}")
    return "\n".join(lines)


def _line_of(tree: object, location: tuple) -> int:
    """The line in the file of the node at `location`, or of its nearest parent."""
    line = 1
    for key in location:
        try:
            position = tree.lc.key(key) if isinstance(tree, dict) else tree.lc.item(key)
            line, tree = position[0] + 1, tree[key]
        except (AttributeError, KeyError, IndexError, TypeError):
            break
    return line


def _database(path: Path, line: int, url: str) -> str:
    """The database's address with ``${VARIABLES}`` filled in, an absolute path and the driver's name."""
    def value(found: re.Match) -> str:
        if found[1] not in os.environ:
            raise CourseError(f"{path}:{line}: db_url: the environment variable {found[1]} is not set; set it with: export {found[1]}=...")
        named = os.environ[found[1]]
        return quote(named, safe="") if "@" in url[found.end():] else named  # a user's name and password may hold any character
    filled = re.sub(r"\$\{(\w+)\}", value, url)
    scheme, _, rest = filled.partition(":")
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return f"postgresql+psycopg:{rest}"
    if scheme != "sqlite":
        raise CourseError(f"{path}:{line}: db_url: a gradebook is kept by SQLite or PostgreSQL, not by {scheme!r}; "
                          "write sqlite:///gradebook.db or postgresql://user:${PASSWORD}@host/name")
    prefix = "sqlite:///"
    if filled.startswith(prefix) and not filled.startswith(prefix + "/"):
        return f"{prefix}{path.parent.resolve() / filled[len(prefix):]}"
    return filled
