"""The comparison with other graders: its usual checks hold for right answers and are there for every exercise of the catalogue."""

from __future__ import annotations

import sys

import pytest
from catalogue import ASSIGNMENTS, mistakes, variants
from support import ROOT

from autograder.assignment import with_staff_half
from autograder.untrusted.modules import in_float64

sys.path.append(str(ROOT / "benchmarks"))
from torch_judge_tests import NOT_ASKED, TASKS  # noqa: E402
from weak_checks import WEAK_CHECKS, passes  # noqa: E402


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_right_answers_pass_the_usual_checks(assignment):
    exercises = with_staff_half(assignment, ROOT)
    with in_float64():
        for name in WEAK_CHECKS.keys() & exercises.keys():
            assert passes(name, exercises[name].reference.function), name
            for alternate in exercises[name].alternates:
                assert passes(name, alternate.function), (name, alternate.name)


def test_every_exercise_of_the_catalogue_is_compared():
    exercises = {entry.exercise for entry in (*mistakes().values(), *variants().values())}
    assert WEAK_CHECKS.keys() == exercises and TASKS.keys() <= exercises and NOT_ASKED.keys() <= mistakes().keys()


def test_the_usual_checks_let_through_what_they_are_known_to():
    with in_float64():
        assert passes("rope", mistakes()["M135"].function), "a RoPE that turns nothing keeps lengths and relative offsets"
        assert not passes("rope", mistakes()["M140"].function)
