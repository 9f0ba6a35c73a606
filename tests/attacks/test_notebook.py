"""Attacks by the notebook file itself, in detail: what is said of them, and files that are no notebooks."""

import json

import pytest
from attacking import TOKEN, graded, of

from autograder.gradebook import ensure_assignment, open_gradebook, record
from autograder.notebook import Submission, Unreadable, parse_submission
from autograder.submissions import Handed, find_notebook

WRONG = {"softmax": "def softmax(Z, dim=-1):\n    return Z\n"}


def test_answer_in_the_check_cell(attack, right):
    """An answer written into the check cell is not run, and the remark says so."""
    def change(notebook):
        of(notebook, "softmax-checks")["source"] = right["softmax"]
    attacked = attack(WRONG, change=change)
    attacked.earns_nothing()
    assert any("check cell softmax-checks holds a definition" in remark for remark in attacked.result.remarks)


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
