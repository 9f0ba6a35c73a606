"""The doctor tells what this machine can do, and says so when it is less than the course asks for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

from support import ROOT
from typer.testing import CliRunner

from autograder import launch
from autograder.cli import app


def test_the_machine_is_examined_by_doing(tmp_path, monkeypatch):
    shutil.copyfile(ROOT / "course.yaml", tmp_path / "course.yaml")
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, ["doctor", "--machine"])
    assert "isolation level" in shown.output and "run a program" in shown.output and shown.exit_code in (0, 1)


def test_too_weak_a_machine_is_said_with_what_helps(tmp_path, monkeypatch):
    (tmp_path / "course.yaml").write_text((ROOT / "course.yaml").read_text().replace("least: confined", "least: isolated"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launch, "find_bubblewrap", lambda: None)
    shown = CliRunner().invoke(app, ["doctor", "--machine"])
    assert shown.exit_code == 1 and "bubblewrap (bwrap) is not installed" in shown.output and "apt-get install bubblewrap" in shown.output


PLANTED = """

@exercise.alternate
def shifted(N):
    return torch.ones(N, N, dtype=torch.bool).tril(1)


@exercise.misconception(caught_by=a_token_sees_itself_and_the_past, tell="nothing wrong at all")
def right_after_all(N):
    return torch.ones(N, N, dtype=torch.bool).tril()


exercise.equivalent("return 1 -> return 2", because="it was once")
"""


def doctor(folder, *arguments):
    """What the doctor prints of a course, with its exit status; in a process of its own, which reads that course's staff files."""
    done = subprocess.run([sys.executable, "-m", "autograder.cli", "doctor", *arguments], cwd=folder, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(ROOT)})
    return done.returncode, done.stdout + done.stderr


def course_copy(folder):
    """A copy of the course's files."""
    for name in ("release", "solutions", "source"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "course.yaml", folder / "course.yaml")


def test_every_planted_fault_is_found_and_names_file_and_mending(tmp_path):
    course_copy(tmp_path)
    staff = tmp_path / "solutions/attention/causal_mask.py"
    staff.write_text(staff.read_text() + PLANTED)
    release = tmp_path / "release/attention/attention.ipynb"
    notebook = json.loads(release.read_text())
    next(cell for cell in notebook["cells"] if cell["id"] == "causal_mask-checks")["metadata"]["nbgrader"]["points"] = 99
    notebook["cells"][0]["source"] = "It is a mask that allows everything, said the staff."
    release.write_text(json.dumps(notebook))
    (tmp_path / "source/attention/attention.ipynb").write_text("{}")
    status, said = doctor(tmp_path, "attention", "--exercise", "causal_mask", "--seeds", "3", "--report", "page.html")
    lines = [line for line in said.splitlines() if line.startswith("wrong:")]
    assert status == 1
    for words in ["solutions/attention/causal_mask.py: the right answer shifted fails on seed", "the misconception right_after_all passes",
                  "exercise.equivalent('return 1 -> return 2') names no mutant",
                  "source/attention/attention.ipynb, release/attention/attention.ipynb, ", " solutions/attention/built.json: stale", "causal_mask has 99 points and its checks",
                  "'a mask that allows everything' of the staff half"]:
        assert [line for line in lines if words in line], words
    assert str(tmp_path) not in said and "autograder build attention" in said
    page = (tmp_path / "page.html").read_text()
    assert "a mask that allows everything" in page and "right_after_all" in page and "cdn" not in page.split("<script")[0]


def test_a_sound_exercise_gets_a_clean_bill(tmp_path):
    course_copy(tmp_path)
    status, said = doctor(tmp_path, "attention", "--exercise", "causal_mask", "--seeds", "3")
    assert (status, "nothing is wrong" in said) == (0, True), said


def test_an_unknown_exercise_is_named_with_those_there_are(tmp_path):
    course_copy(tmp_path)
    status, said = doctor(tmp_path, "attention", "--exercise", "sofmax")
    assert status == 2 and "there is no such exercise in attention" in said and "softmax" in said


UNSOUND = """

@exercise.misconception(caught_by=a_token_sees_itself_and_the_past, tell="a name that is nowhere")
def half_written(N):
    return torch.ones(N, N).bool() & marsk


@exercise.hidden_check(points=1, hint="none")
@given(st.integers(1, 4).map(lambda N: undrawn + N))
def never_drawn(student, N):
    \"\"\"Nothing.\"\"\"
"""


def test_an_authors_slips_are_findings_with_file_and_line_and_no_traceback(tmp_path):
    course_copy(tmp_path)
    staff = tmp_path / "solutions/attention/causal_mask.py"
    text = staff.read_text()
    slip, wrong = UNSOUND.split("@exercise.hidden_check")
    staff.write_text(text + slip)
    status, said = doctor(tmp_path, "attention", "--exercise", "causal_mask", "--seeds", "3")
    assert status == 1 and "the misconception half_written raises NameError (name 'marsk' is not defined), so it proves nothing" in said, said
    staff.write_text(f"from hypothesis import strategies as st\n{text}\n@exercise.hidden_check{wrong}")
    status, said = doctor(tmp_path, "attention", "--exercise", "causal_mask", "--seeds", "3")
    line = next(at for at, one in enumerate(staff.read_text().splitlines(), 1) if "undrawn" in one)
    assert status == 1 and f"solutions/attention/causal_mask.py:{line}: raises NameError" in said and "while inputs are drawn for never_drawn" in said, said
    staff.write_text(text + "\ndef broken(:\n")
    status, said = doctor(tmp_path, "attention", "--exercise", "causal_mask", "--seeds", "3")
    line = len(staff.read_text().splitlines())
    assert status == 2 and f"causal_mask.py:{line}: not valid Python" in said and "mend it there" in said and "Traceback" not in said, said


def test_a_check_that_zeros_pass_is_a_finding(tmp_path):
    course_copy(tmp_path)
    staff = tmp_path / "solutions/attention/causal_mask.py"
    staff.write_text(staff.read_text() + '''

@exercise.hidden_check(points=1, hint="none", kept="to be found")
@given(a_token_sees_itself_and_the_past.inputs["N"])
def twice_gives_the_same(student, N):
    """Two calls agree."""
    assert torch.equal(student(N), student(N))
''')
    status, said = doctor(tmp_path, "attention", "--exercise", "causal_mask", "--seeds", "3")
    assert status == 1 and "solutions/attention/causal_mask.py: twice_gives_the_same is passed by an answer that returns zeros" in said, said
