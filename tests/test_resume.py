"""A run that is stopped goes on, a second one does nothing anew, and nothing graded is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from support import ROOT, heed_interrupts
from test_grade import grades

from autograder.answers import filled_in, reference_answers
from autograder.demo import demo_class

STUDENTS = 6


def make_course(folder):
    """A small class: right answers, wrong ones and one that cannot be read."""
    shutil.copytree(ROOT / "release", folder / "release")
    shutil.copytree(ROOT / "solutions", folder / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "course.yaml").write_text((ROOT / "course.yaml").read_text().replace("least: confined", "least: none"))
    for one in demo_class(ROOT)[:STUDENTS]:
        target = folder / "submitted" / one.student / "attention"
        target.mkdir(parents=True)
        (target / "attention.ipynb").write_bytes(one.data)
    return folder


def start(folder, *arguments):
    return subprocess.Popen([sys.executable, "-m", "autograder.cli", "grade", "attention", "--no-feedback", "--workers", "1", *arguments], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True, preexec_fn=heed_interrupts)


def finish(folder, *arguments):
    """The output of a whole run."""
    process = start(folder, *arguments)
    said, _ = process.communicate(timeout=300)
    assert process.returncode in (0, 3), said
    return said


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A class graded once without trouble."""
    folder = make_course(tmp_path_factory.mktemp("undisturbed"))
    finish(folder, "--json", "results.json")
    return folder


@pytest.fixture
def course(undisturbed, tmp_path):
    """A copy of the graded class."""
    shutil.copytree(undisturbed, tmp_path / "course", symlinks=True)
    return tmp_path / "course"


def ledger(folder):
    return sorted((folder / ".autograder/graded/attention").glob("*.json"))


def noted(folder) -> int:
    """How many are graded: settled, or pending because the run ended before it could settle them."""
    return len({path.stem for path in (folder / ".autograder/graded/attention").glob("*") if path.suffix in (".json", ".pending")})


def test_a_second_run_grades_nothing_and_gives_the_same(course):
    before, results = grades(course), (course / "results.json").read_text()
    times = {path: path.stat().st_mtime_ns for path in course.rglob("autograded/**/*.ipynb")}
    said = finish(course, "--json", "again.json")
    assert f"{STUDENTS} as they were graded before, 0 graded now" in said
    assert (course / "again.json").read_text() == results and grades(course) == before
    assert {path: path.stat().st_mtime_ns for path in course.rglob("autograded/**/*.ipynb")} == times


def test_only_what_is_new_or_changed_is_graded(course):
    students = sorted(path.name for path in (course / "submitted").iterdir())
    release = (course / "release/attention/attention.ipynb").read_text()
    (course / "submitted" / students[1] / "attention/attention.ipynb").write_text(filled_in(release, reference_answers(ROOT, "attention")))
    shutil.copytree(course / "submitted" / students[0], course / "submitted/zoe")
    (course / "submitted" / students[2] / "attention/timestamp.txt").write_text("2027-02-11 10:00:00 UTC")
    said = finish(course, "--json", "again.json")
    assert f"{STUDENTS - 2} as they were graded before, 3 graded now" in said
    scores = {one["student"]: (one["score"], one["max_score"]) for one in json.loads((course / "again.json").read_text())["submissions"]}
    assert scores[students[1]][0] == scores[students[1]][1] and scores["zoe"] == scores[students[0]]


def test_force_another_seed_and_a_lost_notebook_or_gradebook_grade_again(course):
    expected = grades(course)
    assert f"{STUDENTS} graded now" not in finish(course)
    student = next((course / "autograded").iterdir()).name
    shutil.rmtree(course / "autograded" / student)
    assert f"{STUDENTS - 1} as they were graded before, 1 graded now" in finish(course)
    assert "graded before" not in finish(course, "--force")
    (course / "gradebook.db").unlink()
    assert "graded before" not in finish(course) and grades(course) == expected
    text = (course / "course.yaml").read_text()
    (course / "course.yaml").write_text(text.replace("seed: 20261129", "seed: 4"))
    assert "graded before" not in finish(course)


def test_a_damaged_entry_is_graded_again(course):
    ledger(course)[0].write_text("{")
    assert f"{STUDENTS - 1} as they were graded before, 1 graded now" in finish(course)


def test_what_a_person_gave_stays(course):
    with sqlite3.connect(course / "gradebook.db") as database:
        database.execute("update grade set manual_score = 1.5, needs_manual_grade = 0 where id = (select min(id) from grade)")
    finish(course)
    assert [row for row in grades(course)["grades"] if row[3] == 1.5]


@pytest.mark.parametrize("after", [1, 2, 4])
def test_a_killed_run_goes_on_and_ends_the_same(undisturbed, tmp_path, after):
    """SIGKILL of the grader when so many submissions are noted: they stand, and the rest is graded."""
    folder = make_course(tmp_path / "course")
    process = start(folder)
    deadline = time.monotonic() + 120
    while len(ledger(folder)) < after and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    known = noted(folder)
    assert known >= after
    said = finish(folder, "--json", "results.json")
    assert known == STUDENTS or f"{known} as they were graded before" in said
    assert grades(folder) == grades(undisturbed)
    assert json.loads((folder / "results.json").read_text()) == json.loads((undisturbed / "results.json").read_text())


def test_an_interrupt_ends_soon_with_a_summary(tmp_path):
    folder = make_course(tmp_path / "course")
    process = start(folder)
    while not ledger(folder) and process.poll() is None:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and "the same command goes on with the other" in said and "Traceback" not in said
