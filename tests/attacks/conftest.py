"""Attacks: hostile notebooks, each of which must earn nothing, learn nothing, and harm nobody who is graded after it."""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

import pytest
import torch

from autograder.answers import filled_in, reference_answers
from autograder.course import read_course
from autograder.grader import Grader, Outcome, make_grader
from autograder.notebook import parse_submission
from autograder.results import ExerciseResult, SubmissionResult
from autograder.submissions import Found

ROOT = Path(__file__).parents[2]
TOKEN = secrets.token_hex(16)  # lies in the grader's memory, environment and course folder; no student may come to see it
QUICK = {"check_seconds": 0.5, "cell_seconds": 0.7}


@dataclass(frozen=True)
class Attacked:
    """What came of an attack: the result, the autograded notebook as text, and the seconds that it took."""

    result: SubmissionResult
    notebook: str
    seconds: float

    @property
    def text(self) -> str:
        """All that a student or a TA is shown."""
        return " ".join(repr(self.result.model_dump()).split()) + " ".join(self.notebook.split())

    def exercise(self, name: str = "softmax") -> ExerciseResult:
        """The result of one exercise."""
        return next(exercise for exercise in self.result.exercises if exercise.name == name)

    @property
    def printed(self) -> str:
        """What the student's own cells printed."""
        cells = [cell for cell in json.loads(self.notebook)["cells"] if cell["id"].startswith("own-") and cell["cell_type"] == "code"]
        return "".join(out.get("text", "") for cell in cells for out in cell["outputs"] if out["output_type"] == "stream")

    def earns_nothing(self, name: str = "softmax") -> None:
        """Assert that the attacked exercise scores 0 and that the grader takes no blame."""
        assert self.exercise(name).score == 0
        assert "grader_fault" not in {exercise.outcome for exercise in self.result.exercises}
        assert TOKEN not in self.text

    def harms_no_other(self, name: str = "softmax") -> None:
        """Assert that all other exercises of the same notebook, answered rightly, keep their points."""
        assert [e.name for e in self.result.exercises if e.name != name and e.score != e.max_score] == []


@pytest.fixture(scope="session")
def course_folder(tmp_path_factory) -> Path:
    """A course of its own, with the token beside the solutions and in ``.git``."""
    folder = tmp_path_factory.mktemp("course")
    for name in ("release", "solutions"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "course.yaml", folder / "course.yaml")
    (folder / ".git").mkdir()
    for place in ("secret.txt", "solutions/secret.txt", ".git/secret.txt"):
        (folder / place).write_text(TOKEN)
    return folder


@pytest.fixture(scope="session")
def grader(course_folder) -> Grader:
    """One grader for all attacks, as a class has one."""
    torch.set_num_threads(1)
    os.environ["AUTOGRADER_TEST_TOKEN"] = TOKEN
    course = read_course(course_folder / "course.yaml")
    course = course.model_copy(update={"limits": course.limits.model_copy(update={"memory_mb": 2048, "cpu_seconds": 60})})
    made = make_grader(course, course_folder, "attention", least="none")
    yield made
    made.close()
    del os.environ["AUTOGRADER_TEST_TOKEN"]


@pytest.fixture(scope="session")
def right(course_folder) -> dict[str, str]:
    """The reference answers, as notebook code."""
    return reference_answers(course_folder, "attention")


@pytest.fixture(scope="session")
def release(course_folder) -> str:
    """The release notebook as text."""
    return (course_folder / "release/attention/attention.ipynb").read_text(encoding="utf-8")


@pytest.fixture
def isolated(grader) -> None:
    """Skip where the machine has no sandbox: the boundary still holds then, the operating system's walls do not."""
    if grader.box.level == "none":
        pytest.skip("no sandbox on this machine")


def code_cell(source: str, number: int, cell_type: str = "code") -> dict[str, Any]:
    """A cell of the student's own."""
    cell = {"cell_type": cell_type, "id": f"mine-{number}", "metadata": {}, "source": source}
    return cell | ({"outputs": [], "execution_count": None} if cell_type == "code" else {})


@pytest.fixture
def attack(grader, release, right) -> Callable[..., Attacked]:
    """Grade a notebook: right answers but for `answers`, `first` before and `cells` after all else, then changed by `change`.

    `limits` replaces limits of the course. After the test an honest notebook is graded, and must get full marks.
    """
    def grade(answers: dict[str, str] = {}, *, cells: tuple[str, ...] = (), first: tuple[str, ...] = (),  # noqa: B006
              change: Callable[[dict[str, Any]], None] = lambda notebook: None, limits: dict[str, float] = {}) -> Attacked:  # noqa: B006
        def changed(notebook: dict[str, Any]) -> None:
            notebook["cells"][3:3] = [code_cell(source, number) for number, source in enumerate(first)]
            notebook["cells"] += [code_cell(source, 100 + number) for number, source in enumerate(cells)]
            change(notebook)
        text = filled_in(release, right | answers, change=changed)
        course = grader.course.model_copy(update={"limits": grader.course.limits.model_copy(update=limits)})
        start = time.monotonic()
        outcome = graded(dataclasses.replace(grader, course=course), text.encode())
        return Attacked(outcome.result, outcome.notebook, time.monotonic() - start)

    yield grade
    honest = graded(grader, filled_in(release, right).encode()).result
    assert honest.score == honest.max_score, "an honest notebook suffered from the attack before it"


def graded(grader: Grader, data: bytes) -> Outcome:
    """Grade the bytes of one notebook."""
    return grader.grade("eve", Found(Path("attention.ipynb"), parse_submission(data)))


@pytest.fixture(scope="session")
def hidden_inputs(grader) -> set[str]:
    """The inputs of softmax's hidden checks that no public check has, each as the text of its list; small whole numbers aside."""
    inputs: dict[str, set[str]] = {"public": set(), "hidden": set()}
    for check in grader.decks["softmax"].checks:
        for case in check.cases:
            inputs[check.check.visibility] |= {str(op[1][0].tolist()) for op in case.operations
                                               if op[1][0].numel() >= 4 and bool((op[1][0] % 1 != 0).any())}
    return inputs["hidden"] - inputs["public"]
