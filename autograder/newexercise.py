"""A new exercise or assignment: the files that are its start, written where the kit looks for them, and nothing overwritten."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Course, read_course
from autograder.lesson import add_slot, lesson
from autograder.places import CourseError, assignments, public_folder
from autograder.templates import TODO, class_halves, function_halves, read_signature

TAKEN = ("check", "figures", "fill_parameters", "torch", "nn", "math")  # what a lesson imports


@dataclass(frozen=True)
class Written:
    """What was written (paths, those that were there before with the line that is new) and the commands that come next."""

    paths: list[str]
    next: list[str]


def new_exercise(root: Path, course: Course, assignment: str, name: str, *, signature: str, is_class: bool) -> Written:
    """Write the two halves of an exercise and its slot in the lesson. Raises `CourseError` and writes nothing where that cannot be."""
    folder = _own_exercises(root)
    course.assignment(assignment)
    _fit_for_a_name(name)
    try:
        read = read_signature(signature)
    except ValueError as error:
        raise CourseError(f"--signature {error}") from error
    halves = [folder / assignment / f"{name}.py", root / "solutions" / assignment / f"{name}.py"]
    script = root / "source" / assignment / f"{assignment}.py"
    for path in (script, folder / assignment / "__init__.py"):
        if not path.is_file():
            raise CourseError(f"{path} is missing; make the assignment's files with: autograder new assignment {assignment}")
    _not_there(root, [*halves, *(folder / other / f"{name}.py" for other in assignments())])
    for path, text in zip(halves, (class_halves if is_class else function_halves)(assignment, name, read)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    line = add_slot(script, name)
    return Written([*(str(path.relative_to(root)) for path in halves), f"{script.relative_to(root)}:{line} (its slot)"],
                   [f"autograder doctor {assignment} --exercise {name}", f"autograder build {assignment}", f"autograder where {name}"])


def new_assignment(root: Path, name: str) -> Written:
    """Write the start of an assignment: its folder of exercises, its lesson, its line in course.yaml."""
    folder = _own_exercises(root)
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise CourseError(f"{name!r} is no name for an assignment: it names folders and a Python package, so small letters, digits and _ only")
    package, script = folder / name / "__init__.py", root / "source" / name / f"{name}.py"
    _not_there(root, [script, package])
    line = _enrol(root / "course.yaml", name)
    for path, text in ((package, f'"""Public halves of the exercises of `{name}`."""\n'), (script, lesson(name))):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assignments.cache_clear()
    return Written([*(str(path.relative_to(root)) for path in (package, script)), f"course.yaml:{line} (its entry)"],
                   [f"autograder new exercise {name} NAME --signature \"X\""])


def _own_exercises(root: Path) -> Path:
    """The folder of the public halves, which must be this course's: exercises are found in the package that is installed."""
    folder = public_folder().resolve()
    if folder != (root / "autograder" / "exercises").resolve():
        raise CourseError(f"exercises are read from {folder}, which is not in this course ({root}). A course with exercises of its own is a copy "
                          "of the whole kit: go to it and run there\n  python -m pip install -c constraints.txt -e '.[staff,dev]'")
    return folder


def _fit_for_a_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or keyword.iskeyword(name) or name in TAKEN:
        raise CourseError(f"{name!r} is no name for an exercise: students write a function or class of that name (letters, digits and _, "
                          "a letter first)")


def _not_there(root: Path, paths: list[Path]) -> None:
    for path in paths:
        if path.exists():
            raise CourseError(f"{path.relative_to(root)} is there already, and nothing was written. Choose another name, or see what it is "
                              f"with: autograder where {path.parent.name if path.name == '__init__.py' else path.stem}")


def _enrol(path: Path, name: str) -> int:
    """Add an assignment below the last of course.yaml, as those are written; returns the line. The rest of the file stays as it is."""
    text = path.read_text(encoding="utf-8")
    if any(assignment.name == name for assignment in read_course(path).assignments):
        return next(number for number, line in enumerate(text.splitlines(), 1) if re.search(rf"\bname:\s*[\"']?{name}\b", line))
    lines = text.splitlines(keepends=True)
    block = next((at for at, line in enumerate(lines) if re.match(r"assignments:\s*(#.*)?$", line)), None)
    items = [] if block is None else [at for at in range(block + 1, _end_of(lines, block)) if re.match(r"\s*- ", lines[at])]
    by_hand = f"{path}: add the assignment by hand, below `assignments:`\n  - name: {name}"
    if not items:
        raise CourseError(by_hand)
    indent = re.match(r"\s*", lines[items[-1]])[0]
    at = _end_of(lines, block)
    lines[at - 1] = lines[at - 1].rstrip("\n") + "\n"
    lines.insert(at, f"{indent}- name: {name}  # its deadline, when you know it: a line below with due: 2027-05-07T23:59:00+02:00\n")
    path.write_text("".join(lines), encoding="utf-8")
    try:
        read_course(path)
    except CourseError as error:
        path.write_text(text, encoding="utf-8")
        raise CourseError(by_hand) from error
    return at + 1


def _end_of(lines: list[str], block: int) -> int:
    """One past the last line that belongs to the block that starts at line `block`."""
    last = block
    for at in range(block + 1, len(lines)):
        if lines[at].strip() and not re.match(r"\s|- |#", lines[at]):
            break
        if lines[at].strip() and not lines[at].lstrip().startswith("#"):
            last = at
    return last + 1


def open_ends(root: Path, path: Path) -> list[str]:
    """Every line of a file that still says what is to be written there."""
    if not path.is_file():
        return []
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    return [f"{path.relative_to(root)}:{number}: {_shortened(line[line.index(TODO):])}; write it, and take out the word {TODO}"
            for number, line in lines if re.search(rf"\b{TODO}\b", line)]


def _shortened(text: str) -> str:
    text = re.split(r"[\"'](?=[,)]|$)", text)[0].rstrip("\",. )")  # a string ends there
    return text if len(text) <= 90 else f"{text[:87]}…"
