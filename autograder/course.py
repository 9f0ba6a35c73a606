"""``course.yaml`` as a typed model, with errors that name the line and the mending step."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from autograder.assignment import CourseError


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
    """One assignment: its name is that of its folders, `due` a date with a time zone."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    due: AwareDatetime | None = None


class Isolation(_Strict):
    """The least isolation level at which student code is run."""

    least: Literal["isolated", "confined", "limited", "none"] = "confined"


class Course(_Strict):
    """The course: ``course.yaml`` read and checked."""

    course: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    seed: int = Field(ge=0)
    assignments: list[Assignment] = Field(min_length=1)
    db_url: str = "sqlite:///gradebook.db"
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


def here() -> tuple[Path, Course]:
    """The course that the working folder belongs to: its root and model. Raises `CourseError` outside any course."""
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
    return course.model_copy(update={"db_url": _absolute_url(course.db_url, path.parent)})


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
        mend = ("remove it or correct its spelling" if problem["type"] == "extra_forbidden" else
                "add it" if problem["type"] == "missing" else f"it holds {problem['input']!r}"[:80] + "; correct it")
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


def _absolute_url(url: str, root: Path) -> str:
    prefix = "sqlite:///"
    if url.startswith(prefix) and not url.startswith(prefix + "/"):
        return f"{prefix}{root.resolve() / url[len(prefix):]}"
    return url
