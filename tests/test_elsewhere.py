"""macOS and Windows: the student's check works; grading refuses in one sentence unless the level is named, and then it grades.

A subprocess is made to look like the other system before anything of the kit is imported: another `sys.platform`, and none of what is there
only on Linux. (The libraries themselves are imported before: theirs for the other system are not installed here.)
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT

from autograder.answers import filled_in, reference_answers

LINUX = ["pidfd_open", "unshare", "setns", "memfd_create", "sched_getaffinity", "sched_setaffinity"]
MISSING = {
    "darwin": (["spwd"], {"os": LINUX, "signal": ["pidfd_send_signal"]}),
    "win32": (["resource", "fcntl", "pwd", "grp", "termios", "spwd"],
              {"os": [*LINUX, "fork", "getuid", "geteuid", "getgid", "setsid", "waitid", "chown"],
               "signal": ["pidfd_send_signal"], "socket": ["AF_UNIX", "recv_fds", "send_fds"]}),
}
SITE = '''
import asyncio, ctypes, multiprocessing, socket, subprocess, tempfile
import hypothesis.internal.conjecture.engine, IPython, numpy, plotly, pydantic, rich.console, rich.progress, ruamel.yaml, torch, typer.testing
import sys, os, signal
if not os.environ.get("STAFF_ABSENT"):
    import nbgrader.api, nbgrader.apps
platform, modules, names = {entry!r}
for module in modules:
    sys.modules.pop(module, None)
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in modules:
            raise ModuleNotFoundError(f"No module named {{name!r}} on {{platform}}", name=name)
sys.meta_path.insert(0, Absent())
for module, ones in names.items():
    for one in ones:
        if hasattr(sys.modules[module], one):
            delattr(sys.modules[module], one)
whole = ctypes.CDLL
class Library(whole):
    def __init__(self, name, *args, **kwargs):
        if name is None and platform == "win32":
            raise TypeError("LoadLibrary() argument 1 must be str, not None")
        super().__init__(name, *args, **kwargs)
    def __getattr__(self, name):
        if name in ("prctl", "unshare", "setns", "capset", "syscall"):
            raise AttributeError(f"symbol not found: {{name}}")
        return super().__getattr__(name)
ctypes.CDLL = Library
sys.platform = platform
'''


@pytest.fixture(params=MISSING)
def run(request, tmp_path):
    """Run Python in a folder as if on that system."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(SITE.format(entry=(request.param, *MISSING[request.param])))
    environment = os.environ | {"PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}

    def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    run.system = request.param
    return run


@pytest.fixture
def course(tmp_path):
    """A course with one submission that is right but for a cell that ends its process, and one that is wrong."""
    folder = tmp_path / "course"
    for name in ("source", "release", "solutions"):
        shutil.copytree(ROOT / name / "attention", folder / name / "attention", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "course.yaml", folder / "course.yaml")
    release, right = (ROOT / "release/attention/attention.ipynb").read_text(), reference_answers(ROOT, "attention")
    wrong = {"causal_mask": "def causal_mask(N):\n    return torch.ones(N, N).triu()\n"}
    for student, answers, change in (("ada", right, deadly), ("bob", right | wrong, lambda notebook: None)):
        place = folder / "submitted" / student / "attention"
        place.mkdir(parents=True)
        (place / "attention.ipynb").write_text(filled_in(release, answers, change=change))
    return folder


def deadly(notebook):
    """Put a cell that ends its process into a notebook."""
    cell = {"cell_type": "code", "id": "deadly", "metadata": {}, "source": "import os\nos._exit(0)", "outputs": []}
    notebook["cells"].insert(3, cell)


CHECK = '''
import sys
assert sys.platform == {system!r}
import torch
from autograder import check, figures, fill_parameters
def causal_mask(N):
    return torch.ones(N, N).tril()
check(causal_mask)
def causal_mask(N):
    return torch.ones(N, N).triu()
check(causal_mask)
assert not {{"autograder.untrusted.confine", "autograder.untrusted.template"}} & sys.modules.keys()
'''


def test_the_check_cell_works(run, tmp_path):
    done = run(tmp_path, "-c", CHECK.format(system=run.system))
    assert done.returncode == 0, done.stderr
    assert "2 of 2 checks hold" in done.stdout and "0 of 2 checks hold" in done.stdout and "checks hold" not in done.stderr


def test_checking_a_file_works_without_the_course(run, course, tmp_path):
    shutil.copyfile(course / "submitted/bob/attention/attention.ipynb", tmp_path / "attention.ipynb")
    done = run(tmp_path, "-m", "autograder.cli", "check", "attention.ipynb", "--json", "results.json")
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    outcomes = {exercise["name"]: exercise["outcome"] for exercise in results["submissions"][0]["exercises"]}
    assert outcomes.pop("causal_mask") == "wrong" and set(outcomes.values()) == {"correct"}


def test_grading_refuses_and_says_why_and_what_to_do(run, course):
    done = run(course, "-m", "autograder.cli", "grade", "attention")
    assert done.returncode == 2 and not (course / "gradebook.db").exists()
    name = {"darwin": "macOS", "win32": "Windows"}[run.system]
    said = " ".join(done.stderr.split())
    assert f"this is {name}" in said and "--least-isolation none" in said and "Grade on Linux" in said and "Traceback" not in said
    assert said.count("this is") == 1


@pytest.mark.parametrize("run", ["win32"], indirect=True)
def test_asked_for_by_name_it_grades(run, course):
    done = run(course, "-m", "autograder.cli", "grade", "attention", "--least-isolation", "none", "--no-feedback", "--json", "results.json")
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((course / "results.json").read_text())
    ada, bob = results["submissions"]
    assert results["isolation"] == "none" and ada["score"] == ada["max_score"]
    assert any("stopped and left out" in remark for remark in ada["remarks"])
    assert {e["name"] for e in bob["exercises"] if e["outcome"] != "correct"} == {"causal_mask"}
