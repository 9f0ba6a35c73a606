"""Attacks: hostile notebooks, each of which must earn nothing, learn nothing, and harm nobody who is graded after it."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from arms import Arms
from arms import arms as all_arms
from attacking import Attacked, graded, written
from attempt import BOUNDARY, SANDBOX

from autograder.grader import Grader

collect_ignore = ["attempts"]  # hostile code: never to be imported here, whatever its files are called


@pytest.fixture(scope="session")
def arms(tmp_path_factory) -> Iterator[Arms]:
    """The arms that attacks are run in."""
    with all_arms(tmp_path_factory.mktemp("arms")) as made:
        yield made


@pytest.fixture(scope="session")
def course_folder(arms) -> Path:
    """A course of its own, with the token beside the solutions and in ``.git``."""
    return arms.course


@pytest.fixture(scope="session")
def grader(arms) -> Grader:
    """One grader for all attacks, as a class has one, at the best level that there is."""
    return arms.graders.get(SANDBOX, arms.graders[BOUNDARY])


@pytest.fixture(scope="session")
def right(arms) -> dict[str, str]:
    """The reference answers, as notebook code."""
    return arms.right


@pytest.fixture(scope="session")
def release(arms) -> str:
    """The release notebook as text."""
    return arms.release


@pytest.fixture(scope="session")
def grade(grader, release, right) -> Callable[..., Attacked]:
    """Grade a notebook: right answers but for `answers`, `first` before and `cells` after all else, then changed by `change`.

    `limits` replaces limits of the course.
    """
    def grade(answers: dict[str, str] = {}, *, cells: tuple[str, ...] = (), first: tuple[str, ...] = (),  # noqa: B006
              change: Callable[[dict[str, Any]], None] = lambda notebook: None, limits: dict[str, float] = {}) -> Attacked:  # noqa: B006
        text = written(release, right | answers, first=list(first), cells=list(cells), change=change)
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
