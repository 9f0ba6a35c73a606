"""Rebuilding: whatever the student did to the notebook, the course's cells come back and the student's code is kept."""

import copy
import json

import pytest
from support import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.blueprint import ANSWER, SOLUTION, read_blueprint
from autograder.celltext import is_stub
from autograder.notebook import Submission, Unreadable, parse_submission
from autograder.rebuild import COURSE, rebuild, same_code

BLUEPRINT = read_blueprint(ROOT, "attention")
RELEASE = json.loads((ROOT / "release/attention/attention.ipynb").read_text())
CODE = "def causal_mask(N):\n    return torch.tril(torch.ones(N, N)).bool()"


def rebuilt(notebook):
    return rebuild(BLUEPRINT, parse_submission(json.dumps(notebook).encode()))


def with_answer(name="causal_mask", source=CODE):
    notebook = copy.deepcopy(RELEASE)
    next(cell for cell in notebook["cells"] if cell["id"] == name)["source"] = source
    return notebook


def code_of(result, name):
    return next(cell.source for cell in result.cells if cell.cell_id == name)


@st.composite
def damaged(draw):
    """The release with an answer typed in, and cells deleted, doubled, moved, edited, re-typed or stripped of metadata."""
    notebook = with_answer()
    for _ in range(draw(st.integers(1, 8))):
        cells = notebook["cells"]
        at = draw(st.integers(0, len(cells) - 1))
        what = draw(st.sampled_from(["delete", "double", "move", "edit", "retype", "strip", "tag", "points", "null"]))
        if what == "delete" and cells[at]["id"] != "causal_mask":
            del cells[at]
        elif what == "double":
            cells.insert(draw(st.integers(0, len(cells))), copy.deepcopy(cells[at]))
        elif what == "move":
            cells.insert(draw(st.integers(0, len(cells) - 1)), cells.pop(at))
        elif what == "edit" and cells[at]["id"] != "causal_mask":
            cells[at]["source"] = draw(st.sampled_from(["", "1/0", "check = None", "<script>", "import os; os._exit(0)"]))
        elif what == "retype":
            cells[at]["cell_type"] = draw(st.sampled_from(["raw", "markdown", "heading", None]))
        elif what == "strip":
            cells[at]["metadata"] = draw(st.sampled_from([{}, None, {"nbgrader": None}]))
        elif what == "tag":
            cells[at]["metadata"] = {**(cells[at]["metadata"] or {}), "tags": ["skip-execution", "raises-exception"]}
        elif what == "points":
            cells[at]["metadata"] = {"nbgrader": {"grade_id": cells[at]["id"], "grade": False, "points": "999", "schema_version": 99}}
        elif what == "null":
            cells[at].pop("outputs", None)
            cells[at]["execution_count"] = "seven"
    return notebook


@given(damaged())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_courses_own_cells_come_back_whatever_was_done(notebook):
    result = rebuilt(notebook)
    own = [(cell.cell_id, cell.cell_type, cell.source, cell.metadata) for cell in result.cells if cell.origin == COURSE]
    assert own == [(c.cell_id, c.cell_type, c.source, c.metadata) for c in BLUEPRINT.cells if c.kind not in (SOLUTION, ANSWER)]
    assert sorted(name for cell in result.cells for name in cell.checks) == sorted(BLUEPRINT.exercises)
    assert len({cell.cell_id for cell in result.cells}) == len(result.cells)
    for cell in result.cells:
        assert "tags" not in cell.metadata


@given(damaged())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_students_answer_is_never_lost(notebook):
    result = rebuilt(notebook)
    assert result.attempted["causal_mask"]
    assert any(cell.source == CODE and cell.cell_type == "code" for cell in result.cells)


def test_an_untouched_release_is_not_an_attempt():
    assert not any(rebuilt(RELEASE).attempted.values())
    assert not any(rebuild(BLUEPRINT, Submission([])).attempted.values())
    commented = with_answer(source=code_of(rebuilt(RELEASE), "causal_mask") + "\n    # I will do this tomorrow")
    assert not rebuilt(commented).attempted["causal_mask"]


def without_metadata(notebook):
    for cell in notebook["cells"]:
        cell["metadata"], cell["id"] = {}, f"x{cell['id']}"
    return notebook


def test_lost_metadata_is_made_up_for_by_the_functions_name():
    result = rebuilt(without_metadata(with_answer()))
    assert code_of(result, "causal_mask") == CODE and any("metadata" in remark and "lost" in remark for remark in result.remarks)


def test_an_answer_in_a_cell_of_its_own_counts_and_is_reported():
    notebook = copy.deepcopy(RELEASE)
    notebook["cells"].append({"cell_type": "code", "id": "mine", "metadata": {}, "source": CODE})
    result = rebuilt(notebook)
    assert result.attempted["causal_mask"] and result.cells[-1].checks == ("causal_mask",)
    assert any("cell of your own" in remark for remark in result.remarks)


def test_of_two_cells_the_last_counts():
    notebook = with_answer()
    second = copy.deepcopy(next(cell for cell in notebook["cells"] if cell["id"] == "causal_mask"))
    second["source"] = "def causal_mask(N):\n    return 2"
    notebook["cells"].append(second)
    result = rebuilt(notebook)
    sources = [cell.source for cell in result.cells if "def causal_mask" in cell.source]
    assert sources == [CODE, second["source"]] and any("2 cells for causal_mask" in remark for remark in result.remarks)


def test_an_answer_in_the_check_cell_is_found_and_said():
    notebook = copy.deepcopy(RELEASE)
    next(cell for cell in notebook["cells"] if cell["id"] == "causal_mask-checks")["source"] = CODE
    assert any("answers belong in the cell above" in remark for remark in rebuilt(notebook).remarks)


@pytest.mark.parametrize("one, other, same", [
    ("x = 1", "x = 1  # one", True), ("def f():\n    return 1", "def f():\n    'doc'\n\n    return 1", True),
    ("x = 1", "x = 2", False), ("def f(:", "def f(:", True), ("def f(:", "def g(:", False)])
def test_same_code(one, other, same):
    assert same_code(one, other) is same


@pytest.mark.parametrize("data, said", [
    (b"", "empty"), (b"  \n", "empty"), (b"%PDF", "line 1, column 1"), (b"[1, 2]", "JSON list"), (b"null", "JSON null"),
    (b'{"cells": 3}', "no list of cells"), (b'{"a": 1}', "no list of cells"), (b"<<<<<<< HEAD\n{}", "merge-conflict"),
    (b'{"cells": [' + b"[" * 100_000, "nested|not valid JSON"), (b'{"cells": [' + b"{}," * 3000 + b"{}]}", "3,001 cells"),
    (json.dumps({"cells": [{"source": "x" * 2_000_000}]}).encode(), "characters"), ("{'cells': []}".encode(), "line 1, column 2")])
def test_what_is_no_notebook_is_refused_with_a_reason(data, said):
    with pytest.raises(Unreadable, match=said):
        parse_submission(data)


@pytest.mark.parametrize("encode", [
    lambda t: b"\xef\xbb\xbf" + t.encode(), lambda t: t.encode("utf-16"), lambda t: b"\xfe\xff" + t.encode("utf-16-be"),
    lambda t: t.replace("Attention", "Attenti\xf6n").encode("latin-1", "replace"), lambda t: t.replace("\n", "\r\n").encode()])
def test_odd_encodings_are_read(encode):
    notebook = with_answer()
    result = rebuild(BLUEPRINT, parse_submission(encode(json.dumps(notebook, ensure_ascii=False))))
    assert code_of(result, "causal_mask") == CODE


def test_old_and_sloppy_notebooks_are_read():
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": CODE.splitlines(keepends=True), "metadata": {}}]}], "nbformat": 3}
    assert rebuilt(old).attempted["causal_mask"]
    sloppy = {"cells": [{"source": CODE}, {"source": None}, 7, {"source": ["a", 3]}, {"cell_type": "code", "metadata": []}]}
    assert rebuilt(sloppy).attempted["causal_mask"]


def test_a_constructor_of_ones_own_is_an_attempt_although_forward_is_missing():
    """Where the student writes __init__, having written it is not "nothing was handed in"."""
    stub = "class LayerNorm(nn.Module):\n    def __init__(self, D):\n        raise NotImplementedError()\n\n    def forward(self, X):\n        raise NotImplementedError()\n"
    begun = stub.replace("raise NotImplementedError()", "super().__init__()", 1)
    assert is_stub(stub, stub) and not is_stub(begun, stub) and is_stub(begun, begun)
