"""Shared by all tests: the course's root, its exercises, and one grader for the session."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest
import torch
from support import ROOT, references_of, release_of

from autograder.answers import filled_in, reference_answers
from autograder.assignment import with_staff_half
from autograder.course import read_course
from autograder.grader import make_grader
from autograder.notebook import parse_submission
from autograder.submissions import Found

# A machine that is busy with other tests is no fault of theirs.
hypothesis.settings.register_profile("kit", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("kit")

torch.set_num_threads(1)
os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@pytest.fixture(scope="session")
def exercises():
    """The attention exercises with their staff halves."""
    return with_staff_half("attention", ROOT)


@pytest.fixture(scope="session")
def release() -> str:
    """The attention release notebook as text."""
    return (ROOT / "release/attention/attention.ipynb").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def references() -> dict[str, str]:
    """The reference answers as notebook code."""
    return reference_answers(ROOT, "attention")


@pytest.fixture(scope="session")
def grader():
    """A grader for attention at whatever isolation level this machine allows."""
    made = make_grader(read_course(ROOT / "course.yaml"), ROOT, "attention", least="none")
    yield made
    made.close()


@pytest.fixture(scope="session")
def grade(grader, release, references):
    """Grade the reference notebook with some answers replaced and the notebook changed; returns the outcome."""
    def run(answers: dict[str, str] | None = None, change=lambda notebook: None, data: bytes | None = None):
        text = filled_in(release, references | (answers or {}), change=change)
        return grader.grade("student", Found(Path("attention.ipynb"), parse_submission(data or text.encode())))
    return run


@pytest.fixture(scope="session")
def grade_in():
    """Grade the reference notebook of an assignment with some answers replaced and the notebook changed; returns the outcome."""
    made = {}

    def run(assignment: str, answers: dict[str, str], *, untouched: bool = False, change=lambda notebook: None):
        if assignment not in made:
            made[assignment] = make_grader(read_course(ROOT / "course.yaml"), ROOT, assignment, least="none")
        text = filled_in(release_of(assignment), {} if untouched else references_of(assignment) | answers, change=change)
        return made[assignment].grade("student", Found(Path(f"{assignment}.ipynb"), parse_submission(text.encode())))
    yield run
    for one in made.values():
        one.close()
