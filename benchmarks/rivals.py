"""What others take for the same notebooks and checks: stock `nbgrader autograde`, `otter run`, plain `jupyter execute`."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from dataclasses import dataclass
from pathlib import Path

from cohorts import ASSIGNMENT, BIN, ROOT

from autograder.assignment import with_staff_half

OTTER = "7.0.0"


@dataclass(frozen=True)
class Cost:
    """What a command took, its children included. `memory_mb`: the peak of the command's own process, where it is known."""

    cpu: float
    wall: float
    memory_mb: float = 0.0


def timed(command: list[str | Path], folder: Path, *, extra: dict[str, str] | None = None, accept: tuple[int, ...] = (0,)) -> tuple[Cost, str]:
    """Run a command; what it took, and what it printed. Ends the benchmark where it fails."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([str(part) for part in command], cwd=folder, env=os.environ | (extra or {}), capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in accept:
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stderr[-2000:]}{done.stdout[-2000:]}")
    return Cost(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start), done.stdout


def stock(course: Path) -> Cost:
    """`nbgrader autograde` over a stock course."""
    shutil.rmtree(course / "autograded", ignore_errors=True)
    return timed([BIN / "nbgrader", "autograde", ASSIGNMENT], course, extra={"PYTHONPATH": str(course)})[0]


def jupyter_execute(course: Path, number: int) -> Cost:
    """`jupyter execute` of one student's stock notebook: its cells and asserts, and nothing written down."""
    return timed([BIN / "jupyter", "execute", "--allow-errors", _notebook(course, number)], course, extra={"PYTHONPATH": str(course)})[0]


def otter_run(course: Path, number: int) -> Cost:
    """`otter run` of one student's notebook, every exercise a test that asserts the same checks."""
    python = _otter_environment(ROOT / "build" / "otter")
    place = course / "otter"
    if not place.exists():
        _otter_tests(place)
        timed([python.parent / "otter", "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment", "--no-requirements"], place)
        (place / "results").mkdir()
    notebook = json.loads(_notebook(course, number).read_text())
    notebook["cells"] = [cell for cell in notebook["cells"] if "stock_holds" not in "".join(cell["source"])]
    (place / "submission.ipynb").write_text(json.dumps(notebook))
    extra = {"PYTHONPATH": str(course), "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    return timed([python.parent / "otter", "run", "-a", "autograder.zip", "-o", "results", "--no-logo", "submission.ipynb"], place, extra=extra)[0]


def otter_scores(course: Path) -> dict[str, float]:
    """What Otter's last run gave, by exercise: whoever measures looks whether it ran the tests at all."""
    return {test["name"]: test.get("score", 0.0) for test in json.loads((course / "otter/results/results.json").read_text())["tests"]}


def _notebook(course: Path, number: int) -> Path:
    return course / "submitted" / f"student-{number:04d}" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"


def _otter_tests(place: Path) -> None:
    (place / "tests").mkdir(parents=True)
    for name in with_staff_half(ASSIGNMENT, ROOT):
        case = {"code": f">>> from stock_holds import holds\n>>> holds({name!r}, {name})\n", "hidden": False, "locked": False}
        suite = {"cases": [case], "scored": True, "setup": "", "teardown": "", "type": "doctest"}
        (place / "tests" / f"{name}.py").write_text(f"OK_FORMAT = True\ntest = {({'name': name, 'points': 1, 'suites': [suite]})!r}\n")


def _otter_environment(folder: Path) -> Path:
    """An environment with Otter-Grader that also sees this one's torch and kit, made where there is none; returns its Python."""
    python = folder / "bin/python"
    if not (folder / ".ready").is_file():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"otter-grader=={OTTER}"], check=True)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        (folder / "lib" / version / "site-packages/project.pth").write_text(sysconfig.get_path("purelib") + "\n" + str(ROOT) + "\n")
        (folder / ".ready").touch()
    return python
