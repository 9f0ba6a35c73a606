"""Building: current, the same twice, and nothing of the staff's in what students get."""

import ast
import base64
import json
import shutil

import pytest
import torch
from support import ROOT, cells_of

from autograder.assignment import with_staff_half
from autograder.places import CourseError, assignments
from autograder.build import _generate_release, is_current, solution_source, source_notebook
from autograder.exercise import HIDDEN, PUBLIC
from autograder.smallcases import find_small_cases
from autograder.tells import known_tells
from autograder.untrusted import wire

SCRIPT = ROOT / "source/attention/attention.py"


ALL = pytest.mark.parametrize("assignment", assignments())


def built_source(script=SCRIPT, exercises=None, assignment="attention"):
    return source_notebook(script, exercises or with_staff_half(assignment, ROOT), ROOT / "solutions" / assignment)


def release_of(assignment):
    return (ROOT / "release" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8")


@ALL
def test_source_and_release_are_current_and_built_the_same_twice(assignment, tmp_path):
    script = ROOT / "source" / assignment / f"{assignment}.py"
    committed = script.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert built_source(script, None, assignment) == committed, "stale: run autograder build"
    source, release = tmp_path / f"{assignment}.ipynb", tmp_path / "release.ipynb"
    source.write_text(committed, encoding="utf-8")
    for _ in range(2 if assignment == "attention" else 1):
        _generate_release(source, release, assignment)
        assert release.read_text(encoding="utf-8") == release_of(assignment), "stale: run autograder build"


@ALL
def test_the_built_checks_are_current(assignment):
    """By what they were made from; those of one exercise are also made again, byte for byte."""
    exercises = with_staff_half(assignment, ROOT)
    for visibility, path in [(PUBLIC, ROOT / "autograder/exercises" / assignment / "built.json"), (HIDDEN, ROOT / "solutions" / assignment / "built.json")]:
        assert is_current(path, exercises, ROOT), "stale: run autograder build"
        if assignment == "attention":
            stored = json.loads(path.read_text(encoding="utf-8"))["small_cases"]["causal_mask"]
            assert find_small_cases(exercises["causal_mask"], visibility=visibility) == stored, "stale: run autograder build"


@ALL
def test_nothing_of_the_staff_is_in_the_release_or_in_the_package(assignment):
    release = release_of(assignment)
    package = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "autograder").rglob("*") if path.suffix in (".py", ".json"))
    for name, exercise in with_staff_half(assignment, ROOT).items():
        for known in exercise.misconceptions:
            assert known.tell not in release and known.tell not in package
        for check in exercise.checks:
            if check.visibility == HIDDEN:
                assert check.title not in release and check.title not in package and check.hint not in package
        solution = solution_source(ROOT / "solutions" / assignment / f"{name}.py", name, gives_init=exercise.gives_init)
        for body in (part.split("### END SOLUTION")[0] for part in solution.split("### BEGIN SOLUTION")[1:]):
            for line in filter(lambda line: len(line.strip()) > 30, body.splitlines()):
                assert line.strip() not in release, line
    assert "BEGIN SOLUTION" not in release


@ALL
def test_what_is_recorded_of_mistakes_is_their_sentence_and_numbers(assignment):
    """Students' copies tell a mistake by numbers: of mistakes that public checks show, and nothing of hidden checks or of right answers."""
    text = (ROOT / "autograder/exercises" / assignment / "built.json").read_text(encoding="utf-8")
    assert len(text) < 150_000
    for name, exercise in with_staff_half(assignment, ROOT).items():
        rows, numbers = wire.decode(base64.b64decode(json.loads(text)["tells"][name]))
        public = {check.name for check in exercise.checks if check.visibility == PUBLIC}
        fails = [(known.tell, exercise.fails[known.name] & public) for known in exercise.misconceptions]
        assert [(tell, set(marks)) for tell, marks in rows] == [(tell, failing) for tell, failing in fails if failing]
        assert all(type(bits) is int for _, marks in rows for bits in marks.values())
        assert numbers.dtype is torch.float32 and numbers.shape == (len(numbers), 2)
        assert len(known_tells(exercise)) == len(rows)


@ALL
def test_the_stub_has_the_references_signature_and_docstring(assignment):
    cells = {cell["id"]: "".join(cell["source"]) for cell in cells_of(release_of(assignment))}
    for name in with_staff_half(assignment, ROOT):
        stub = ast.parse(cells[name]).body[0]
        assert stub.name == name and ast.get_docstring(stub) and "NotImplementedError" in cells[name]
        assert cells[f"{name}-checks"] == f"check({name})"


@ALL
def test_points_are_the_sum_of_the_checks(assignment):
    points = {cell["id"]: cell["metadata"]["nbgrader"].get("points") for cell in cells_of(release_of(assignment)) if "nbgrader" in cell["metadata"]}
    for name, exercise in with_staff_half(assignment, ROOT).items():
        assert points[f"{name}-checks"] == exercise.points == sum(check.points for check in exercise.checks)


@ALL
def test_cells_that_grading_skips_bind_no_names(assignment):
    for cell in cells_of(release_of(assignment)):
        if cell["metadata"]["autograder"]["kind"] == "figure":
            body = ast.parse("".join(cell["source"])).body
            assert len(body) == 1 and isinstance(body[0], ast.Expr), cell["id"]


def test_a_wrong_slot_or_mark_is_named_with_its_cell(tmp_path, exercises):
    script = tmp_path / "attention.py"
    text = SCRIPT.read_text(encoding="utf-8")
    for old, new, said in [('exercise="softmax"', 'exercise="sofmax"', "'sofmax', which is no exercise"),
                           ('# %% exercise="causal_mask"', "# %% [markdown]", "no slot for causal_mask"),
                           ("points=2", "", "needs points"), ("# %% figure=true", "# %%", "exactly one mark")]:
        assert old in text
        script.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(CourseError, match=said):
            built_source(script, exercises)


def test_a_copy_of_the_course_builds_elsewhere(tmp_path):
    """The build needs the script and the staff's files only, wherever they lie."""
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    shutil.copy(SCRIPT, tmp_path / "attention.py")
    text = source_notebook(tmp_path / "attention.py", with_staff_half("attention", ROOT), tmp_path / "solutions/attention")
    assert json.loads(text)["cells"] and text == built_source()
