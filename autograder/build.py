"""Building an assignment: the authored script and the exercises become the source notebook and, through nbgrader, the release.

The same files give the same bytes. Cell kinds are marked in the script's cell lines: ``given=true``, ``given="Name other_name"`` (the
source of these from the assignment's ``_given.py``), ``exercise="name"``, ``figure=true``, ``experiment=true``, and on a markdown
cell ``question="slug" points=2``.
"""

from __future__ import annotations

import ast
import io
import json
import logging
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder import blueprint
from autograder.assignment import hidden_counts, with_staff_half
from autograder.exercise import HIDDEN, PUBLIC, Exercise
from autograder.gradebook import alembic_on_path
from autograder.places import CourseError, built_file, given_file
from autograder.smallcases import find_small_cases, fingerprint
from autograder.tells import find_fails, find_tells

MARKS = {"given": blueprint.GIVEN, "figure": blueprint.FIGURE, "experiment": blueprint.EXPERIMENT}


@dataclass
class _Draft:
    """The notebook being built."""

    path: Path
    exercises: dict[str, Exercise]
    solutions: Path
    cells: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    placed: list[str] = field(default_factory=list)

    def numbered(self, kind: str) -> str:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return f"{kind}-{self.counts[kind]}"

    def add(self, kind: str, cell_type: str, source: str, cell_id: str, nbgrader: dict[str, Any] | None = None) -> None:
        metadata: dict[str, Any] = {"autograder": {"kind": kind}}
        if nbgrader is not None:
            metadata["nbgrader"] = {"grade": False, "locked": False, "solution": False, "task": False, "schema_version": 3,
                                    "grade_id": cell_id, **nbgrader}
        cell = {"cell_type": cell_type, "id": cell_id, "metadata": metadata, "source": source.strip("\n")}
        if cell_type == "code":
            cell |= {"execution_count": None, "outputs": []}
        self.cells.append(cell)


def build(root: Path, assignment: str) -> list[Path]:
    """Write source notebook, release and the two ``built.json`` of `assignment`; return the paths written."""
    import torch
    torch.set_num_threads(1)  # two are many times slower where cores are shared
    script = root / "source" / assignment / f"{assignment}.py"
    exercises = with_staff_half(assignment, root)
    source = script.with_suffix(".ipynb")
    source.write_text(source_notebook(script, exercises, root / "solutions" / assignment), encoding="utf-8")
    release = root / "release" / assignment / f"{assignment}.ipynb"
    _generate_release(source, release, assignment)
    public, staff = built_file(assignment), root / "solutions" / assignment / "built.json"
    if not (is_current(public, exercises, root) and is_current(staff, exercises, root)):
        public.write_text(built_text(exercises, PUBLIC, root), encoding="utf-8")
        staff.write_text(built_text(exercises, HIDDEN, root), encoding="utf-8")
    blueprint.read_blueprint.cache_clear()
    hidden_counts.cache_clear()
    return [source, release, public, staff]


def is_current(path: Path, exercises: dict[str, Exercise], root: Path) -> bool:
    """Whether a ``built.json`` was made from the present files (finding small cases takes a while)."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))["made_from"] == fingerprint(exercises, _staff(exercises, root))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def build_findings(root: Path, assignment: str) -> list[str]:
    """What is wrong with the built files of `assignment`: stale ones, points that do not agree, words of the staff's in the release."""
    script = root / "source" / assignment / f"{assignment}.py"
    exercises = with_staff_half(assignment, root)
    source, release = script.with_suffix(".ipynb"), root / "release" / assignment / f"{assignment}.ipynb"
    try:
        text = source_notebook(script, exercises, root / "solutions" / assignment)
    except CourseError as error:
        return [str(error)]
    stale = [] if source.is_file() and source.read_text(encoding="utf-8") == text else [source]
    with tempfile.TemporaryDirectory(prefix="autograder-doctor-") as scratch:
        fresh, made = Path(scratch, f"{assignment}.ipynb"), Path(scratch, "release.ipynb")
        fresh.write_text(text, encoding="utf-8")
        _generate_release(fresh, made, assignment)
        if not release.is_file() or release.read_text(encoding="utf-8") != made.read_text(encoding="utf-8"):
            stale.append(release)
    stale += [path for path in (built_file(assignment), root / "solutions" / assignment / "built.json") if not is_current(path, exercises, root)]
    told = [f"{', '.join(map(str, stale))}: stale; make {'it' if len(stale) == 1 else 'them'} anew with: autograder build {assignment}"] if stale else []
    return told + _release_findings(release, exercises, root)


def _release_findings(release: Path, exercises: dict[str, Exercise], root: Path) -> list[str]:
    """Points that are not the checks', and words of the staff half, in a release."""
    text = release.read_text(encoding="utf-8") if release.is_file() else '{"cells": []}'
    points = {cell["id"]: cell["metadata"].get("nbgrader", {}).get("points") for cell in json.loads(text)["cells"]}
    given = "".join(_parts(_staff(exercises, root) / f"{name}.py", name, exercise)[0] for name, exercise in exercises.items())
    found = []
    for name, exercise in exercises.items():
        mend = f"make it anew with: autograder build {exercise.assignment}"
        if points.get(f"{name}-checks") != exercise.points:
            found.append(f"{release}: {name} has {points.get(f'{name}-checks')} points and its checks {exercise.points:g}; {mend}")
        staff = [known.tell for known in exercise.misconceptions] + [word for check in exercise.checks if check.visibility == HIDDEN
                                                                      for word in (check.title, check.hint)]
        staff += [line for line in _solution_lines(_staff(exercises, root) / f"{name}.py", name, exercise) if line not in given]
        found += [f"{release}: holds {word!r} of the staff half of {name}; take it out of the script and {mend}" for word in staff if _quoted(word) in text]
    return found


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)[1:-1]


def _solution_lines(path: Path, name: str, exercise: Exercise) -> list[str]:
    """The longer lines of a reference that the student is to write."""
    return [line.strip() for line in _parts(path, name, exercise)[1].splitlines() if len(line.strip()) > 30]


def _parts(path: Path, name: str, exercise: Exercise) -> tuple[str, str]:
    """What a solution cell gives to the student, and what is theirs to write."""
    first, *rest = solution_source(path, name, gives_init=exercise.gives_init).split("### BEGIN SOLUTION")
    halves = [part.partition("### END SOLUTION") for part in rest]
    return "".join([first, *(after for _, _, after in halves)]), "".join(before for before, _, _ in halves)


def _staff(exercises: dict[str, Exercise], root: Path) -> Path:
    return root / "solutions" / next(iter(exercises.values())).assignment


def built_text(exercises: dict[str, Exercise], visibility: str, root: Path) -> str:
    """What the build knows of the checks of one visibility: their small cases, and for students how many are hidden."""
    tree: dict[str, Any] = {"made_from": fingerprint(exercises, _staff(exercises, root)), "small_cases": {name: find_small_cases(e, visibility=visibility) for name, e in exercises.items()}}
    if visibility == PUBLIC:
        tree["tells"] = {name: find_tells(e) for name, e in exercises.items()}
        tree["hidden_checks"] = {name: sum(check.visibility == HIDDEN for check in e.checks) for name, e in exercises.items()}
    else:
        tree["fails"] = {name: find_fails(e) for name, e in exercises.items()}
    return json.dumps(tree, indent=1, sort_keys=True) + "\n"


def source_notebook(script: Path, exercises: dict[str, Exercise], solutions: Path) -> str:
    """The source notebook's text. Raises `CourseError` naming the script's cell that is wrong."""
    import jupytext
    if not script.is_file():
        raise CourseError(f"{script} does not exist; an assignment needs its script there")
    draft = _Draft(script, exercises, solutions)
    for number, cell in enumerate(jupytext.read(script, fmt="py:percent").cells, 1):
        _add_cell(draft, cell, number)
    missing = [name for name in exercises if name not in draft.placed]
    if missing:
        raise CourseError(f"{script}: no slot for {', '.join(missing)}; add a cell line like: # %% exercise=\"{missing[0]}\"")
    notebook = {"cells": draft.cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


_METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
             "language_info": {"name": "python"}}


def _add_cell(draft: _Draft, cell: Any, number: int) -> None:
    marks = dict(cell.metadata)
    if cell.cell_type == "markdown" and "question" in marks:
        _add_question(draft, cell.source, str(marks["question"]), marks.get("points"), number)
    elif cell.cell_type == "markdown":
        draft.add(blueprint.PROSE, "markdown", cell.source, draft.numbered(blueprint.PROSE))
    elif "exercise" in marks:
        _add_exercise(draft, str(marks["exercise"]), number)
    else:
        kinds = [kind for mark, kind in MARKS.items() if marks.get(mark)]
        if len(kinds) != 1:
            raise CourseError(f"{draft.path}: code cell {number} ({cell.source.splitlines()[:1]}) needs exactly one mark: "
                              "given=true, figure=true, experiment=true or exercise=\"name\"")
        source = _given_source(draft, marks["given"], cell.source) if isinstance(marks.get("given"), str) else cell.source
        draft.add(kinds[0], "code", source, draft.numbered(kinds[0]), {"locked": True})


def _given_source(draft: _Draft, names: str, below: str) -> str:
    """The named definitions of the assignment's ``_given.py``, and what the script has below them."""
    path = given_file(draft.path.stem)
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = {node.name: ast.get_source_segment(text, node) for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    missing = [name for name in names.split() if name not in found]
    if missing:
        raise CourseError(f"{draft.path}: given=\"{names}\" names {missing[0]}, which {path} does not define")
    return "\n\n\n".join([*(found[name] for name in names.split()), *([below] if below.strip() else [])])


def _add_question(draft: _Draft, text: str, slug: str, points: Any, number: int) -> None:
    if not isinstance(points, (int, float)) or points <= 0:
        raise CourseError(f"{draft.path}: the question in cell {number} needs points, as in: question=\"{slug}\" points=2")
    draft.add(blueprint.PROSE, "markdown", f"{text}\n\n*Graded by hand: {points:g} points.*", f"{slug}-question")
    draft.add(blueprint.ANSWER, "markdown", blueprint.ANSWER_TEXT, slug, {"grade": True, "solution": True, "points": _number(points)})


def _add_exercise(draft: _Draft, name: str, number: int) -> None:
    exercise = draft.exercises.get(name)
    if exercise is None:
        raise CourseError(f"{draft.path}: cell {number} is a slot for {name!r}, which is no exercise of this assignment; "
                          f"there are {', '.join(draft.exercises)}")
    draft.placed.append(name)
    draft.add(blueprint.SOLUTION, "code", solution_source(draft.solutions / f"{name}.py", name, gives_init=exercise.gives_init), name, {"solution": True})
    draft.add(blueprint.CHECKS, "code", f"check({name})", f"{name}-checks",
              {"grade": True, "locked": True, "points": _number(exercise.points)})


def _number(value: float) -> float | int:
    return int(value) if value == int(value) else value


def solution_source(path: Path, name: str, *, gives_init: bool = True) -> str:
    """The reference as a solution cell: what the student is given, and the rest between nbgrader's marks.

    Given are signatures and docstrings, and of a class also ``__init__`` whole where `gives_init`.
    """
    text = path.read_text(encoding="utf-8")
    node = next((n for n in ast.parse(text).body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == name), None)
    if node is None or ast.get_docstring(node) is None or len(node.body) < 2:
        raise CourseError(f"{path}: the reference {name} is missing, or has no docstring, or no body")
    lines = text.splitlines()
    if isinstance(node, ast.FunctionDef):
        return "\n".join(_with_marks(lines, node))
    parts = lines[node.lineno - 1:node.body[0].end_lineno]
    for method in node.body[1:]:
        if not isinstance(method, ast.FunctionDef) or method.name != "__init__" and ast.get_docstring(method) is None:
            raise CourseError(f"{path}: in the reference class {name}, line {method.lineno}, there may only be methods with docstrings")
        whole = method.name == "__init__" and gives_init
        parts += ["", *(lines[method.lineno - 1:method.end_lineno] if whole else _with_marks(lines, method))]
    return "\n".join(parts)


def _with_marks(lines: list[str], node: ast.FunctionDef) -> list[str]:
    """A function or method with everything below its docstring (or its signature) between nbgrader's marks."""
    first = node.body[1] if ast.get_docstring(node) is not None else node.body[0]
    start = node.body[0].end_lineno if ast.get_docstring(node) is not None else first.lineno - 1
    indent = " " * first.col_offset
    return [*lines[node.lineno - 1:start], f"{indent}### BEGIN SOLUTION", *lines[start:node.end_lineno], f"{indent}### END SOLUTION"]


def _generate_release(source: Path, release: Path, assignment: str) -> None:
    """Run nbgrader's generate_assignment on `source` in a scratch course with a scratch gradebook."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config
    with tempfile.TemporaryDirectory(prefix="autograder-build-") as scratch:
        target = Path(scratch, "source", assignment)
        target.mkdir(parents=True)
        shutil.copy(source, target)
        config = Config()
        config.CourseDirectory.root = scratch
        config.CourseDirectory.assignment_id = assignment
        config.CourseDirectory.db_url = f"sqlite:///{scratch}/gradebook.db"
        log = io.StringIO()
        logger = logging.Logger("autograder.build", level=logging.ERROR)
        logger.addHandler(logging.StreamHandler(log))
        converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config, log=logger)
        try:
            with alembic_on_path():
                converter.start()
        except NbGraderException as error:
            raise CourseError(f"{source}: nbgrader could not make the release; it says:\n{log.getvalue()[-1500:]}") from error
        release.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(scratch, "release", assignment, f"{assignment}.ipynb"), release)
