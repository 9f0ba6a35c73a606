"""Small classes in courses of their own, and runs of the command line on them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support import ROOT

from autograder.demo import demo_class, demo_few

ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def lay_out(folder: Path, *, students: int = 6, assignments: tuple[str, ...] = ("attention",), db_url: str = "sqlite:///gradebook.db", wait: float = 60,
            late: str = "") -> Path:
    """A course with a small class, each submission an hour later than the one before, from eight hours before attention is due."""
    for name in ("release", "source", "solutions"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "nbgrader_config.py", folder / "nbgrader_config.py")
    text = (ROOT / "course.yaml").read_text().replace("least: confined", "least: none").replace("db_url: sqlite:///gradebook.db", f"db_url: {db_url}")
    (folder / "course.yaml").write_text(f"{text}\ngradebook_wait_seconds: {wait}\n{late}")
    for assignment in assignments:
        for number, one in enumerate((demo_class(ROOT) if assignment == "attention" else demo_few(ROOT, assignment))[:students]):
            place = folder / "submitted" / one.student / assignment
            place.mkdir(parents=True)
            (place / f"{assignment}.ipynb").write_bytes(one.data)
            (place / "timestamp.txt").write_text(f"2027-02-12 {15 + number:02d}:00:00 UTC" if number < 9 else f"2027-02-13 {number - 9:02d}:00:00 UTC")
    return folder


def start(folder: Path, *arguments: str) -> subprocess.Popen:
    """``autograder`` with these arguments, running."""
    return subprocess.Popen([sys.executable, "-m", "autograder.cli", *arguments], cwd=folder, env=ENVIRONMENT | {"PGSECRET": os.environ.get("PGSECRET", "")},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)


def finish(process: subprocess.Popen, *, status: tuple[int, ...] = (0, 3)) -> str:
    """What it said, when it has ended."""
    said, _ = process.communicate(timeout=300)
    assert process.returncode in status, said
    return said


def grade(folder: Path, *arguments: str, assignment: str = "attention", status: tuple[int, ...] = (0, 3)) -> str:
    """A whole run of ``autograder grade``."""
    return finish(start(folder, "grade", assignment, "--workers", "1", "--no-feedback", *arguments), status=status)
