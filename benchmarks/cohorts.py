"""Classes of submissions to grade: mixed, all right, all wrong, of any size, as a course of ours and as a stock nbgrader course."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from autograder.answers import answer_source, filled_in, reference_answers
from autograder.assignment import with_staff_half

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
ASSIGNMENT = "attention"
MIXED, RIGHT, WRONG = "mixed", "all right", "all wrong"
HOLDS = '''
"""In-kernel asserts: every check of an exercise under hypothesis, on the function of this very process."""
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from autograder.assignment import with_staff_half
from autograder.explore import seed_of, smallest_failure
from autograder.student import local

EXERCISES = with_staff_half({assignment!r}, Path({root!r}))

def holds(name, function):
    exercise = EXERCISES[name]
    for check in exercise.checks:
        failure = smallest_failure(check, local(function, exercise), seed=seed_of(name, check.name))
        assert failure is None, str(failure.error)
'''


def answers_of(submissions: int, kind: str = MIXED) -> list[dict[str, str]]:
    """The answers of a class. Mixed: three quarters right, in several ways, one quarter with one mistake each; all wrong: in every exercise."""
    right = reference_answers(ROOT, ASSIGNMENT)
    exercises = list(with_staff_half(ASSIGNMENT, ROOT).values())
    return [_answers(right, exercises, number, kind) for number in range(submissions)]


def _answers(right: dict[str, str], exercises: list, number: int, kind: str) -> dict[str, str]:
    chosen = dict(right)
    for place, exercise in enumerate(exercises):
        ways = [None, *exercise.alternates]
        way = ways[(number + place) % len(ways)]
        if kind == WRONG or kind == MIXED and number % 4 == 3 and place == number // 4 % len(exercises):
            way = exercise.misconceptions[number // (1 if kind == WRONG else 4) % len(exercise.misconceptions)]
        if way is not None:
            chosen[exercise.name] = answer_source(ROOT / "solutions" / ASSIGNMENT / f"{exercise.name}.py", way.name, exercise.name)
    return chosen


def make_ours(folder: Path, answers: list[dict[str, str]]) -> Path:
    """A course of this kit in which the class has handed in."""
    folder.mkdir()
    for name in ("course.yaml", "source", "release", "solutions"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile)(ROOT / name, folder / name)
    release = (ROOT / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text()
    _hand_in(folder, [filled_in(release, one) for one in answers])
    return folder


def make_stock(folder: Path, answers: list[dict[str, str]]) -> Path:
    """A stock course: the same notebook, with in-kernel asserts in the check cells and figures left out as in ours."""
    (folder / "source" / ASSIGNMENT).mkdir(parents=True)
    (folder / "stock_holds.py").write_text(HOLDS.format(root=str(ROOT), assignment=ASSIGNMENT))
    (folder / "nbgrader_config.py").write_text('c = get_config()\nc.CourseDirectory.course_id = "stock"\n')
    notebook = json.loads((ROOT / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text())
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["metadata"]["autograder"]["kind"] not in ("figure", "experiment")]
    for cell in notebook["cells"]:
        if cell["metadata"]["autograder"]["kind"] == "checks":
            name = cell["id"].removesuffix("-checks")
            cell["source"] = f"from stock_holds import holds\nholds({name!r}, {name})"
    (folder / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").write_text(json.dumps(notebook))
    subprocess.run([BIN / "nbgrader", "generate_assignment", ASSIGNMENT], cwd=folder, check=True, capture_output=True)
    release = (folder / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text()
    _hand_in(folder, [filled_in(release, one) for one in answers])
    return folder


def _hand_in(folder: Path, notebooks: list[str]) -> None:
    for number, text in enumerate(notebooks):
        place = folder / "submitted" / f"student-{number:04d}" / ASSIGNMENT
        place.mkdir(parents=True)
        (place / f"{ASSIGNMENT}.ipynb").write_text(text)
