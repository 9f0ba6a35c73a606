"""A class of broken and odd submissions: each ends with the outcome and the reason it should, through both doors."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from submissions.code import code
from submissions.files import files
from submissions.folders import NO_NOTEBOOK, folders, honest
from submissions.making import CORRECT, Odd
from submissions.metadata import metadata
from submissions.structure import structure
from support import ROOT

from autograder.batch import grade_class
from autograder.course import read_course
from autograder.gradebook import student_key
from autograder.grader import make_grader
from autograder.submissions import Handed, find_notebook, handed_in

ODD = [*files(), *metadata(), *structure(), *code(), *folders()]
BY_NAME = {odd.name: odd for odd in [*ODD, *honest()]}
assert len(BY_NAME) == len(ODD) + len(honest())
BIN = Path(sys.executable).parent


def lay_out(folder: Path, odd: list[Odd]) -> Path:
    """A course of its own with these submissions, and limits so short that hanging costs little."""
    for name in ("source", "release", "solutions"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "nbgrader_config.py", folder / "nbgrader_config.py")
    text = (ROOT / "course.yaml").read_text().replace("least: confined", "least: none")
    (folder / "course.yaml").write_text(re.sub("cell_seconds: .*", "cell_seconds: 6", re.sub("check_seconds: .*", "check_seconds: 3", text)))
    for one in odd:
        one.write(folder / "submitted")
    return folder


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The folder of the class."""
    return lay_out(tmp_path_factory.mktemp("broken"), list(BY_NAME.values()))


@pytest.fixture(scope="module")
def grader(course):
    """A grader of this course."""
    made = make_grader(read_course(course / "course.yaml"), course, "attention", least="none")
    yield made
    made.close()


@pytest.fixture(scope="module")
def results(course, grader):
    """The class graded in one batch: results by student."""
    found = grade_class(grader, course, handed_in(course, "attention"), workers=2)
    return {one.student: one for one in found.submissions}


@pytest.mark.parametrize("odd", BY_NAME.values(), ids=lambda odd: f"{odd.what}__{odd.outcome}")
def test_it_ends_with_the_outcome_and_the_reason_it_should(results, odd):
    one = results[odd.name]
    said = [one.reason, *one.remarks]
    assert one.outcome == odd.outcome, said
    assert {e.name: e.outcome for e in one.exercises if e.outcome != CORRECT} == (
        odd.lost or {e.name: odd.outcome for e in one.exercises if odd.outcome != CORRECT})
    assert {e.score == e.max_score for e in one.exercises if e.outcome == CORRECT} <= {True}
    assert [written.answered for written in one.written] == [odd.written and odd.outcome != "unreadable"]
    assert one.reason and all("\n" not in line and len(line) < 500 for line in said)
    if odd.says:
        assert any(re.search(odd.says, line) for line in said), said
    else:
        assert not one.remarks


@pytest.mark.parametrize("name", ["bom_utf16le__correct", "truncated__unreadable", "cells_reversed__correct", "metadata_of_one_cell_lost__correct",
                                  "answer_in_a_raw_cell__correct", "helper_in_a_cell_below__correct", "infinite_loop__correct", "os_exit__correct",
                                  "default_dtype_float16__correct", "def_without_a_body__raised", "code_in_the_check_cell__not_attempted",
                                  "link_to_a_neighbour__unreadable", "=1+1", "honest-1"])
def test_graded_alone_the_result_is_the_same(course, grader, results, name):
    alone = grader.grade(name, find_notebook(Handed(name, "attention", course / "submitted" / name / "attention")))
    assert alone.result == results[name]


def grades(folder: Path) -> dict[str, dict[str, float | None]]:
    """The machine's scores in a gradebook, by student and cell."""
    with sqlite3.connect(folder / "gradebook.db") as database:
        rows = database.execute("""select s.student_id, b.name, g.auto_score from grade g join base_cell b on b.id = g.cell_id
            join submitted_notebook n on n.id = g.notebook_id join submitted_assignment s on s.id = n.assignment_id""").fetchall()
    scores: dict[str, dict[str, float | None]] = {}
    for student, cell, score in rows:
        scores.setdefault(student, {})[cell] = score
    return scores


def test_the_gradebook_has_every_student_with_the_results_scores(course, results):
    stored = grades(course)
    assert stored.keys() == {student_key(name) for name in BY_NAME}
    for name, one in results.items():
        scores = stored[student_key(name)]
        assert {e.name: e.score for e in one.exercises} == {e.name: scores[f"{e.name}-checks"] for e in one.exercises}
        assert scores["why-divide-by-the-root"] == (None if one.written[0].answered else 0.0)


def test_autograded_notebooks_are_valid_and_say_the_reason(course, results):
    for name, one in results.items():
        text = (course / "autograded" / name / "attention/attention.ipynb").read_text(encoding="utf-8")
        notebook = nbformat.reads(text, 4)
        nbformat.validate(notebook)
        assert notebook.metadata.autograder.reason == one.reason and len(text) < 3_000_000


def test_nbgrader_autograde_stores_the_same_scores(course, results, tmp_path):
    """Through nbgrader's own command: all odd folders and every fourth of the others (EVERY=1 takes all), but for those it refuses."""
    some = [*folders(), *honest(), *[odd for odd in ODD if odd.place is None and not odd.student][::int(os.environ.get("EVERY", "4"))]]
    unmatched = {odd.name for odd in some if odd.by_nbgrader == NO_NOTEBOOK}
    taken = [odd for odd in some if not odd.by_nbgrader]
    lay_out(tmp_path, [odd for odd in some if odd in taken or odd.name in unmatched])
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([BIN / "nbgrader", "autograde", "attention"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    ours, theirs = grades(course), grades(tmp_path)
    assert theirs.keys() == {student_key(odd.name) for odd in taken}
    assert {name: scores for name, scores in theirs.items() if scores != ours[name]} == {}
    assert all(f"/{name}/" in done.stderr for name in unmatched)
