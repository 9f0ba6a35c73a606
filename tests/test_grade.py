"""The demo class end to end, through both doors and the command line."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import jsonschema
import nbformat
import pytest
from support import ROOT

from autograder import __version__
from autograder.demo import demo_class, make_demo
from autograder.results import SCHEMA_FILE, Results, schema_text

BIN = Path(sys.executable).parent
ENVIRONMENT = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}


def run(folder: Path, *command: str, status: int = 0) -> str:
    done = subprocess.run([str(BIN / command[0]), *command[1:]], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def autograder(folder: Path, *arguments: str, status: int = 0) -> str:
    return run(folder, "autograder", *arguments, status=status)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The demo course, graded once with two workers."""
    folder = tmp_path_factory.mktemp("demo")
    make_demo(ROOT, folder)
    (folder / "course.yaml").write_text((ROOT / "course.yaml").read_text().replace("check_seconds: 5", "check_seconds: 3")
                                        .replace("least: confined", "least: none"))
    autograder(folder, "grade", "attention", "--workers", "2", "--json", "results.json", status=3)
    return folder


@pytest.fixture(scope="module")
def results(course):
    return json.loads((course / "results.json").read_text())


def grades(folder: Path) -> dict:
    """Every grade and comment in a gradebook, by student and cell."""
    with sqlite3.connect(folder / "gradebook.db") as database:
        said = database.execute("""select s.student_id, b.name, c.auto_comment, c.manual_comment from comment c
            join base_cell b on b.id = c.cell_id join submitted_notebook n on n.id = c.notebook_id
            join submitted_assignment s on s.id = n.assignment_id""").fetchall()
        given = database.execute("""select s.student_id, b.name, g.auto_score, g.manual_score, g.extra_credit, g.needs_manual_grade,
            n.late_submission_penalty, s.timestamp from grade g join base_cell b on b.id = g.cell_id
            join submitted_notebook n on n.id = g.notebook_id join submitted_assignment s on s.id = n.assignment_id""").fetchall()
        cells = database.execute("select name, source, locked, cell_type, checksum from source_cell").fetchall()
        points = database.execute("select b.name, g.max_score, g.cell_type from grade_cells g join base_cell b on b.id = g.id").fetchall()
        due = database.execute("select name, duedate from assignment").fetchall()
    return {"comments": sorted(said, key=repr), "grades": sorted(given, key=repr), "cells": sorted(cells), "points": sorted(points), "due": due}


def student(folder: Path, name: str) -> str:
    """The id of a student of the demo class, which begins with a number."""
    return next(path.name for path in (folder / "submitted").iterdir() if path.name[3:] == name)


def class_size(folder: Path) -> int:
    return len(list((folder / "submitted").glob("*/attention")))


def test_every_submission_ends_with_the_outcome_and_reason_it_should(results):
    expected = {one.student: one.outcome for one in demo_class(ROOT)}
    assert len(expected) >= 24
    got = {one["student"]: one["outcome"] for one in results["submissions"]}
    assert got.keys() == expected.keys()
    assert {s: (o, expected[s]) for s, o in got.items() if o != expected[s] and not (expected[s] == "wrong" and o == "raised")} == {}
    assert all(one["reason"] for one in results["submissions"])


def test_right_answers_have_full_marks_and_cheats_nothing(results):
    by_name = {one["student"][3:]: one for one in results["submissions"]}
    for name, one in by_name.items():
        if one["outcome"] == "correct":
            assert one["score"] == one["max_score"], name
    for name in ("agrees-with-everything", "patches-allclose", "prints-a-score", "exits", "ends-the-process", "infinite-loop"):
        softmax = next(e for e in by_name[name]["exercises"] if e["name"] == "softmax")
        assert softmax["score"] == 0, name
    assert by_name["skip-tags"]["score"] == 0


def test_the_document_fits_the_published_schema(results):
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "stale: run make build"
    jsonschema.validate(results, json.loads(SCHEMA_FILE.read_text()))
    assert Results.model_validate(results).kit_version == __version__ == results["kit_version"]
    assert results["schema"] == "autograder-results/1" and results["isolation"] in ("isolated", "confined", "limited", "none")
    for one in results["submissions"]:
        assert {"student", "notebook", "score", "max_score", "outcome", "reason", "exercises"} <= one.keys()
        assert one["score"] == sum(e["score"] for e in one["exercises"]) and one["max_score"] == sum(e["max_score"] for e in one["exercises"])
        for exercise in one["exercises"]:
            assert {"name", "score", "max_score", "outcome", "behaves_like", "checks"} <= exercise.keys()
            for check in exercise["checks"]:
                assert {"name", "title", "visibility", "outcome", "points", "max_points", "message", "counterexample"} <= check.keys()


def test_a_second_run_with_other_workers_gives_the_same(course, results):
    before = grades(course)
    autograder(course, "grade", "attention", "--workers", "4", "--force", "--no-feedback", "--json", "again.json", status=3)
    assert json.loads((course / "again.json").read_text()) == results
    assert grades(course) == before


def test_nbgrader_autograde_stores_the_same(course, tmp_path):
    make_demo(ROOT, tmp_path)
    (tmp_path / "course.yaml").write_text((course / "course.yaml").read_text())
    run(tmp_path, "nbgrader", "autograde", "attention")
    ours, theirs = grades(course), grades(tmp_path)
    for part in ours:
        assert ours[part] == theirs[part], part
    ours, theirs = (nbformat.read(folder / "autograded" / student(folder, "without-the-scale") / "attention/attention.ipynb", 4) for folder in (course, tmp_path))
    assert ours.cells == theirs.cells
    for folder in (course, tmp_path):
        run(folder, "nbgrader", "generate_feedback", "attention", "--force")
        run(folder, "nbgrader", "export")
        rows = sorted((folder / "grades.csv").read_text().splitlines())
        assert len(rows) == 1 + class_size(folder)
    assert sorted((course / "grades.csv").read_text().splitlines()) == sorted((tmp_path / "grades.csv").read_text().splitlines())


def test_feedback_pages_hold_the_panels(course):
    page = (course / "feedback" / student(course, "without-the-scale") / "attention/attention.html").read_text()
    assert "never divided by sqrt(D_k)" in page and "autograder-panel" in page and "The smallest input that shows it" in page
    assert len(list((course / "feedback").glob("*/attention/attention.html"))) == class_size(course)


def test_a_manual_score_survives_a_second_run(course):
    from nbgrader.api import Gradebook
    with Gradebook(f"sqlite:///{course}/gradebook.db", "transformers") as gradebook:
        grade = gradebook.find_grade("why-divide-by-the-root", "attention", "attention", "01-reference")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        gradebook.db.commit()
    autograder(course, "grade", "attention", "--student", "01-reference", "--no-feedback", "--force")
    with Gradebook(f"sqlite:///{course}/gradebook.db", "transformers") as gradebook:
        grade = gradebook.find_grade("why-divide-by-the-root", "attention", "attention", "01-reference")
        assert grade.manual_score == 1.5 and grade.auto_score is None and grade.score == 1.5
        grade.manual_score, grade.needs_manual_grade = None, True
        gradebook.db.commit()


def test_check_of_one_file_agrees_with_the_batch(course, results):
    path = course / "submitted" / student(course, "softmax-over-the-queries") / "attention/attention.ipynb"
    text = autograder(course, "check", str(path), "--json", "one.json")
    one = json.loads((course / "one.json").read_text())["submissions"][0]
    same = next(s for s in results["submissions"] if s["student"] == student(course, "softmax-over-the-queries"))
    assert one["exercises"] == same["exercises"] and one["score"] == same["score"]
    assert "softmax over the queries" in text and "hint:" in text
    autograder(course, "check", str(course / "submitted" / student(course, "not-a-notebook") / "attention/attention.ipynb"), status=3)


def test_a_student_without_staff_files_gets_the_public_checks(course, tmp_path):
    path = tmp_path / "attention.ipynb"
    path.write_bytes((course / "submitted" / student(course, "scaled") / "attention/attention.ipynb").read_bytes())
    text = autograder(tmp_path, "check", "attention.ipynb", "--json", "-")
    one = json.loads(text)["submissions"][0]
    checks = [check for exercise in one["exercises"] for check in exercise["checks"]]
    assert {check["visibility"] for check in checks} == {"public"}
    assert sum(exercise["hidden_checks_not_run"] for exercise in one["exercises"]) > 10
    assert [e["name"] for e in one["exercises"] if e["outcome"] != "correct"] == ["simple_attention"]
    assert "hidden checks were not run here" in autograder(tmp_path, "check", "attention.ipynb")


@pytest.mark.parametrize("arguments, said", [
    (("grade", "atention"), "it lists attention"), (("grade", "attention", "--student", "nobody"), "nothing of attention was handed in under that name"),
    (("grade", "attention", "--least-isolation", "high"), "the levels are"), (("check", "nowhere.ipynb"), "there is no such file"),
    (("build", "nothing"), "it lists attention")])
def test_usage_errors_end_with_2_and_a_sentence(course, arguments, said):
    done = subprocess.run([str(BIN / "autograder"), *arguments], cwd=course, capture_output=True, text=True)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_outside_a_course_the_error_says_what_to_do(tmp_path):
    done = subprocess.run([str(BIN / "autograder"), "grade", "attention"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "run this in the course's folder" in done.stderr
    assert __version__ in subprocess.run([str(BIN / "autograder"), "--version"], capture_output=True, text=True).stdout
