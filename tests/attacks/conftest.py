"""Attacks: hostile notebooks, each of which must earn nothing, learn nothing, and harm nobody who is graded after it."""

from __future__ import annotations

import dataclasses
import os
import shutil
import time
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
import torch
from arms import Arms
from arms import arms as all_arms
from attacking import ROOT, TOKEN, TRY, Attacked, code_cell, graded

from autograder.answers import filled_in, reference_answers
from autograder.course import read_course
from autograder.grader import Grader, make_grader


@pytest.fixture(scope="session")
def arms(tmp_path_factory) -> Iterator[Arms]:
    """The arms that attacks are run in."""
    with all_arms(tmp_path_factory.mktemp("arms")) as made:
        yield made


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


@pytest.fixture(scope="session")
def grade(grader, release, right) -> Callable[..., Attacked]:
    """Grade a notebook: right answers but for `answers`, `first` before and `cells` after all else, then changed by `change`.

    `limits` replaces limits of the course.
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
    return grade


@pytest.fixture
def attack(grade) -> Callable[..., Attacked]:
    """`grade`, and after the test an honest notebook, which must get full marks."""
    yield grade
    honest = grade().result
    assert honest.score == honest.max_score, "an honest notebook suffered from the attack before it"


@pytest.fixture(scope="session")
def snippets(grade) -> Callable[[dict[str, str]], dict[str, str]]:
    """Run named snippets as cells of one notebook (an honest one is graded after it) and give what each printed.

    A snippet is the body of a function; what it prints begins with READ and what it returned, or with REFUSED.
    """
    def run(bodies: dict[str, str]) -> dict[str, str]:
        attacked, honest = grade(cells=tuple(TRY.format(body=body) for body in bodies.values())), grade()
        assert TOKEN not in attacked.text
        assert attacked.result.score == attacked.result.max_score == honest.result.score
        return dict(zip(bodies, attacked.printed_by_cell, strict=True))
    return run


@pytest.fixture(scope="session")
def hidden_inputs(grader) -> set[str]:
    """The inputs of softmax's hidden checks that no public check has, each as the text of its list; small whole numbers aside."""
    inputs: dict[str, set[str]] = {"public": set(), "hidden": set()}
    for check in grader.decks["softmax"].checks:
        for case in check.cases:
            inputs[check.check.visibility] |= {str(op[1][0].tolist()) for op in case.operations
                                               if op[1][0].numel() >= 4 and bool((op[1][0] % 1 != 0).any())}
    return inputs["hidden"] - inputs["public"]
