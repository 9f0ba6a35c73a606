"""After an edit of checks only what it touches is graded again, and who changes is said with the reason."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from support import ROOT
from test_grade import grades

from autograder.answers import filled_in, reference_answers

STUDENTS = ("ada", "ben", "eve")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A course with a kit of its own, so that its checks can be edited: ada is right, ben's softmax is wrong, eve left it out."""
    folder = tmp_path_factory.mktemp("course")
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("release", "solutions", "autograder"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    (folder / "course.yaml").write_text((ROOT / "course.yaml").read_text().replace("least: confined", "least: none"))
    answers = reference_answers(ROOT, "attention")
    release = (ROOT / "release/attention/attention.ipynb").read_text()
    wrong = "def softmax(Z, dim=-1):\n    return torch.exp(Z) / torch.exp(Z).sum(dim, keepdim=True)\n"
    for student, chosen in zip(STUDENTS, (answers, answers | {"softmax": wrong}, {k: v for k, v in answers.items() if k != "softmax"})):
        target = folder / "submitted" / student / "attention"
        target.mkdir(parents=True)
        (target / "attention.ipynb").write_text(filled_in(release, chosen))
    lines(folder)
    return folder


@pytest.fixture
def course(graded, tmp_path):
    shutil.copytree(graded, tmp_path / "course", symlinks=True)
    return tmp_path / "course"


def run(folder, *options):
    done = subprocess.run([sys.executable, "-m", "autograder.cli", "grade", "attention", "--no-feedback", "--workers", "1", *options], cwd=folder,
                          capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(folder)})
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def lines(folder, *options):
    """The end of a run, with what was spent on each exercise, and the results document."""
    end = json.loads(run(folder, "--progress", "lines", "--json", "results.json", *options).splitlines()[-1])
    return end, json.loads((folder / "results.json").read_text())


def without_marks(document):
    return {key: value for key, value in document.items() if key != "marks"}


def edit(folder, place):
    """Change a file of Python a little."""
    with open(folder / place, "a") as file:
        file.write("\n# edited\n")


SOFTMAX = "solutions/attention/softmax.py"


def test_only_the_exercise_whose_check_was_edited_is_graded_again(course):
    edit(course, SOFTMAX)
    end, after = lines(course, "--changed-checks")
    assert end["graded"] == 3 and set(end["seconds_by_exercise"]) == {"softmax"}
    whole = lines(course, "--force")[1]
    assert without_marks(after) == without_marks(whole)


def test_the_gradebook_is_that_of_grading_all_anew(course):
    edit(course, SOFTMAX)
    lines(course, "--changed-checks")
    notebooks = {path: path.read_text() for path in course.rglob("autograded/**/*.ipynb")}
    rows = grades(course)
    lines(course, "--force")
    assert grades(course) == rows and {path: path.read_text() for path in course.rglob("autograded/**/*.ipynb")} == notebooks


def test_an_edit_of_the_kit_or_a_new_notebook_is_graded_whole(course):
    edit(course, "autograder/verdict.py")
    assert len(lines(course, "--changed-checks")[0]["seconds_by_exercise"]) == 7
    edit(course, SOFTMAX)
    (course / "submitted/ada/attention/notes.txt").write_text("another file")
    end, _ = lines(course, "--changed-checks")
    assert len(end["seconds_by_exercise"]) == 7  # ada's, whole


def test_nothing_is_graded_where_nothing_changed(course):
    assert lines(course, "--changed-checks")[0]["graded"] == 0


def test_who_changes_is_said_with_the_check_and_the_reason(course):
    path, asked = course / "autograder/exercises/attention/softmax.py", "    shift, lead = shift_lead\n"
    text = path.read_text()
    assert asked in text
    path.write_text(text.replace(asked, f"    return\n{asked}"))
    said = " ".join(run(course, "--changed-checks").split())
    assert "came out otherwise than before" in said and "ben" in said and "checks, kit or limits changed" in said
    assert "→ correct" in said
