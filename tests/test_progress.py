"""The progress of a batch: the tally's arithmetic, the lines for other programs, the quiet mode, and the logs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT

from autograder.demo import demo_class
from autograder.progress import NOT_GRADED, Tally, graded_line
from autograder.results import SubmissionResult

OUTCOMES = ["correct", "wrong", "raised", "limit", "not_attempted", "unreadable", "grader_fault"]


def result(student, outcome):
    return SubmissionResult(student=student, notebook="a.ipynb", score=0, max_score=1, outcome=outcome, reason="", remarks=[], written=[], exercises=[])


steps = st.lists(st.tuples(st.sampled_from(OUTCOMES), st.booleans(), st.dictionaries(st.sampled_from(["softmax", "rope"]), st.floats(0, 9))), max_size=20)


@given(steps, st.integers(0, 5))
def test_the_tally_adds_up(seen, more):
    tally = Tally(len(seen) + more)
    for number, (outcome, known, seconds) in enumerate(seen):
        tally.add(result(str(number), outcome), known, {} if known else seconds)
        assert json.loads(graded_line(tally, result(str(number), outcome), known, seconds))["left"] == tally.left
    assert tally.done == len(seen) and tally.left == more and tally.known + tally.graded == tally.done
    assert tally.not_graded == sum(outcome in NOT_GRADED for outcome, _, _ in seen)
    sums = {name: sum(seconds.get(name, 0.0) for _, known, seconds in seen if not known) for name in ("softmax", "rope")}
    if tally.slowest:
        assert sums[tally.slowest[0]] == pytest.approx(max(sums.values()))
    assert f"{more} left" in tally.sentence()


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Three students: one right, one wrong, one whose file cannot be read."""
    folder = tmp_path_factory.mktemp("course")
    for name in ("release", "solutions"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "course.yaml").write_text((ROOT / "course.yaml").read_text().replace("least: confined", "least: none"))
    everybody = demo_class(ROOT)
    for one in [everybody[0], next(one for one in everybody if "softmax" in one.student), next(one for one in everybody if "not-a-notebook" in one.student)]:
        target = folder / "submitted" / one.student / "attention"
        target.mkdir(parents=True)
        (target / "attention.ipynb").write_bytes(one.data)
    return folder


def grade(folder, *options):
    return subprocess.run([sys.executable, "-m", "autograder.cli", "grade", "attention", "--no-feedback", *options], cwd=folder, capture_output=True, text=True)


def test_lines_tell_each_submission_and_the_end(course):
    done = grade(course, "--progress", "lines", "--force")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 3, done.stderr
    assert [line["event"] for line in lines] == ["graded"] * 3 + ["finished"]
    assert {line["student"] for line in lines[:3]} == {path.name for path in (course / "submitted").iterdir()}
    assert sorted(line["left"] for line in lines[:3]) == [0, 1, 2] and lines[2]["not_graded"] == 1
    end = lines[-1]
    assert end["graded"] == 3 and end["left"] == 0 and end["cpu_seconds"]["student_code"] > 0 and end["peak_memory_mb"] > 50
    assert set(end["seconds_by_exercise"]) >= {"softmax", "causal_mask"}
    again = [json.loads(line) for line in grade(course, "--progress", "lines").stdout.splitlines()]
    assert all(line["known_before"] for line in again[:3]) and again[-1]["graded"] == 0


def test_quiet_says_nothing_and_the_log_grows(course):
    logs = sorted((course / ".autograder/logs/attention").glob("*.log"))
    before = [path.read_text() for path in logs]
    done = grade(course, "--quiet", "--force")
    assert done.stdout == "" and done.stderr == "" and done.returncode == 3
    assert len(logs) == 3
    for path, old in zip(logs, before):
        new = path.read_text()
        assert new.startswith(old) and len(new) > len(old)
        assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0
    right = next(text for path, text in zip(logs, before) if "reference" in path.name)
    assert "softmax  9 of 9  correct" in right and "processes" in right


@pytest.mark.parametrize("options, said", [(("--progress", "loud"), "there is no such mode"),
                                           (("--progress", "lines", "--json", "-"), "give --json a file")])
def test_a_mode_that_cannot_be_is_refused(course, options, said):
    done = grade(course, *options)
    assert done.returncode == 2 and said in " ".join(done.stderr.split())
