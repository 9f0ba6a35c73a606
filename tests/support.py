"""Helpers that the kit's tests import."""

from __future__ import annotations

import json
import shutil
import signal
from functools import lru_cache
from pathlib import Path

from autograder.answers import reference_answers
from autograder.demo import demo_class

ROOT = Path(__file__).resolve().parent.parent


def heed_interrupts() -> None:
    """In a new process: Ctrl-C ends it, also where the shell that runs these tests in its background has interrupts ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@lru_cache
def release_of(assignment: str) -> str:
    """An assignment's release notebook as text."""
    return (ROOT / "release" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8")


@lru_cache
def references_of(assignment: str) -> dict[str, str]:
    """An assignment's reference answers as notebook code."""
    return reference_answers(ROOT, assignment)


def exercise_of(outcome, name: str):
    """One exercise's result."""
    return next(exercise for exercise in outcome.result.exercises if exercise.name == name)


def cells_of(text: str) -> list[dict]:
    """A notebook's cells."""
    return json.loads(text)["cells"]


def make_class(folder: Path, names: list[str], change=lambda name, data: data) -> Path:
    """A course in `folder` with the submissions of some of the demo class's students (by name without number), each changed by `change`."""
    shutil.copytree(ROOT / "release", folder / "release")
    shutil.copytree(ROOT / "solutions", folder / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    text = (ROOT / "course.yaml").read_text().replace("least: confined", "least: none")
    for limit in ("call_seconds: 5", "check_seconds: 5", "cell_seconds: 30"):  # a loaded machine must not decide a grade
        text = text.replace(limit, limit.split(":")[0] + ": 120")
    (folder / "course.yaml").write_text(text)
    by_name = {one.student[3:]: one for one in demo_class(ROOT)}
    for name in names:
        target = folder / "submitted" / by_name[name].student / "attention"
        target.mkdir(parents=True)
        (target / "attention.ipynb").write_bytes(change(name, by_name[name].data))
    return folder


def sleeping(data: bytes, seconds: float) -> bytes:
    """A notebook whose first cell sleeps: time to do something to the processes that grade it."""
    notebook = json.loads(data)
    notebook["cells"].insert(1, {"cell_type": "code", "id": "sleeps", "metadata": {}, "source": f"import time\ntime.sleep({seconds})",
                                 "outputs": [], "execution_count": None})
    return json.dumps(notebook).encode()


def all_that_is_left(folder: Path) -> dict:
    """What a run leaves: the gradebook's rows and the autograded notebooks."""
    from test_grade import grades
    notebooks = sorted(folder.glob("autograded/*/*/*.ipynb"))
    return grades(folder) | {"notebooks": {str(path.relative_to(folder)): path.read_text() for path in notebooks}}
