"""Attacks by the notebook file itself: its metadata, tags, cells and neighbours are the course's, not the student's."""

import json

import nbformat
import pytest
from attacking import TOKEN, graded

from autograder.gradebook import ensure_assignment, open_gradebook, record
from autograder.notebook import Submission, Unreadable, parse_submission
from autograder.submissions import Handed, find_notebook

WRONG = {"softmax": "def softmax(Z, dim=-1):\n    return Z\n"}


def of(notebook, grade_id):
    return next(cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)


def points_edited(notebook):
    for cell in notebook["cells"]:
        cell["metadata"].setdefault("nbgrader", {})["points"] = 1000


def skipped(notebook):
    for cell in notebook["cells"]:
        cell["metadata"]["tags"] = ["skip-execution", "raises-exception"]


def check_cell_passes(notebook):
    of(notebook, "softmax-checks")["source"] = "from autograder import check\ncheck.__code__ = (lambda *a: 9.0).__code__\n9.0"
    of(notebook, "softmax-checks")["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "9.0"}, "metadata": {}, "execution_count": 1}]


def check_cell_is_a_solution(notebook):
    of(notebook, "softmax-checks")["metadata"]["nbgrader"].update(grade=False, solution=True, locked=False)


def check_cell_deleted(notebook):
    notebook["cells"].remove(of(notebook, "softmax-checks"))


def check_cell_doubled(notebook):
    notebook["cells"] += [of(notebook, "softmax-checks")] * 3


def ids_swapped(notebook):
    one, other = of(notebook, "softmax-checks"), of(notebook, "causal_mask-checks")
    one["metadata"], other["metadata"] = other["metadata"], one["metadata"]


def ids_all_the_same(notebook):
    for cell in notebook["cells"]:
        cell["id"] = "softmax"


def summary_forged(notebook):
    notebook["metadata"]["autograder"] = {"score": 100, "reason": "all correct", "comments": {"softmax": "all correct"}}


def odd_metadata(notebook):
    for cell, value in zip(notebook["cells"], [None, 3, [], "x", {"nbgrader": 7}, {"nbgrader": {"grade_id": ["softmax"]}}] * 9):
        if cell["cell_type"] == "markdown":
            cell["metadata"] = value


CHANGES = (points_edited, skipped, check_cell_passes, check_cell_is_a_solution, check_cell_deleted, check_cell_doubled, ids_swapped,
           ids_all_the_same, summary_forged, odd_metadata)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_change_of_the_file(attack, change):
    """The wrong answer earns nothing, the right ones all, and the points are the course's."""
    attacked = attack(WRONG, change=change)
    attacked.earns_nothing()
    attacked.harms_no_other()
    assert attacked.result.max_score == 44.5 and attacked.exercise().max_score == 9
    nbformat.validate(nbformat.reads(attacked.notebook, as_version=4))


def test_answer_in_the_check_cell(attack, right):
    """An answer written into the check cell is not run, and the remark says so."""
    def change(notebook):
        of(notebook, "softmax-checks")["source"] = right["softmax"]
    attacked = attack(WRONG, change=change)
    attacked.earns_nothing()
    assert any("check cell softmax-checks holds a definition" in remark for remark in attacked.result.remarks)


def test_second_chance_in_a_copied_cell(attack, right):
    """Of two answers the last one counts, not the better one."""
    def change(notebook):
        cell = dict(of(notebook, "softmax"), source=WRONG["softmax"])
        notebook["cells"].append(cell)
    attack(change=change).earns_nothing()


def test_neighbouring_modules(grader, course_folder, tmp_path, release, attack):
    """A ``torch.py`` beside the notebook is not there when it runs."""
    (tmp_path / "attention.ipynb").write_text(release)
    (tmp_path / "torch.py").write_text("allclose = lambda *a: True")
    result = grader.grade("eve", find_notebook(Handed("eve", "attention", tmp_path))).result
    assert result.score == 0 and result.outcome == "not_attempted"


def test_link_to_the_solutions(grader, course_folder, tmp_path, attack):
    """A link in place of the notebook is not followed."""
    (tmp_path / "attention.ipynb").symlink_to(course_folder / "secret.txt")
    outcome = grader.grade("eve", find_notebook(Handed("eve", "attention", tmp_path)))
    assert outcome.result.outcome == "unreadable" and TOKEN not in outcome.notebook


def test_all_answers_in_one_late_cell(attack, right):
    """Answers in a single cell at the end are graded there, or not at all, but the grader does not fail."""
    assert attack(dict.fromkeys(right, ""), cells=("\n".join(right.values()),)).result.outcome != "grader_fault"


def test_script_in_markdown(attack):
    """A student's text cannot run in the browser of the TA who opens the formgrader or the feedback."""
    def change(notebook):
        notebook["cells"].append({"cell_type": "markdown", "id": "m", "metadata": {}, "source": "<script>alert(1)</script>"})
    assert "<script>" not in attack(change=change).notebook


UNREADABLE = {
    "int_of_5000_digits": b'{"cells": [], "x": ' + b"1" * 5000 + b"}",
    "sheet_with_a_number_for_cells": b'{"worksheets": [{"cells": 5}]}',
    "deep": b"[" * 200_000,
    "empty": b"",
    "number": b"7",
    "cells_of_odd_types": b'{"cells": [1, null, "x", {"cell_type": [], "source": {}, "metadata": 3, "id": 4}]}',
    "too_many_cells": b'{"cells": [' + b",".join([b"{}"] * 2001) + b"]}",
}

@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_broken_file(data):
    """Any bytes are a notebook or a reason why not."""
    try:
        assert isinstance(parse_submission(data), Submission)
    except Unreadable as reason:
        assert str(reason)


SURROGATE = {"softmax": "def softmax(Z, dim=-1):\n    raise ValueError(chr(0xd800))\n"}


def test_message_that_no_database_can_hold(attack, grader, tmp_path):
    """What a student's exception says can be recorded."""
    result = attack(SURROGATE).result
    course = grader.course.model_copy(update={"db_url": f"sqlite:///{tmp_path}/gradebook.db"})
    with open_gradebook(course) as gradebook:
        ensure_assignment(gradebook, grader.blueprint, course)
        record(gradebook, grader.blueprint, result, None, isolation="isolation level isolated")


def test_message_that_no_document_can_hold(attack):
    """What a student's exception says can be written as JSON."""
    assert json.loads(attack(SURROGATE).result.model_dump_json())


def test_text_that_no_file_can_hold(grader, release, attack):
    """A lone surrogate in a cell's source is replaced in the notebook."""
    notebook = json.loads(release)
    of(notebook, "softmax")["source"] = "x = '\ud800'"
    graded(grader, json.dumps(notebook).encode()).notebook.encode()


def test_error_of_the_library_is_not_taken_for_the_stub(attack):
    """The reason names what was raised."""
    attacked = attack({"softmax": "def softmax(Z, dim=-1):\n    return (Z > 0).softmax(dim)\n"})
    assert "still reached" not in attacked.text
