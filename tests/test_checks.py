"""Every assignment's checks held against right, wrong and trivial answers.

Each check draws alone here, as at the desk; `make doctor` and `make prove` hold answers against decks, as in grading. AUTOGRADER_SEEDS says how
many course seeds the right answers must pass.
"""

from __future__ import annotations

import os
from functools import lru_cache

import pytest
import torch
from support import ROOT

from autograder.assignment import with_staff_half
from autograder.places import assignments
from autograder.case import Case, running
from autograder.explore import draw_cases, seed_of
from autograder.student import local
from autograder.trivial import FILLS, trivial

SEEDS = int(os.environ.get("AUTOGRADER_SEEDS", "3"))
EXERCISES = {f"{assignment}.{name}": exercise for assignment in assignments() for name, exercise in with_staff_half(assignment, ROOT).items()}
WRONG = [(name, known.name) for name, exercise in EXERCISES.items() for known in exercise.misconceptions]


@lru_cache(maxsize=2000)
def cases(exercise, check, seed: int) -> list[dict]:
    """The inputs of a check for one course seed."""
    return draw_cases(check, seed=seed_of(seed, exercise.assignment, exercise.name, check.name))


def failing(exercise, function, seed: int, checks=None) -> dict:
    """The checks that `function` fails on the inputs of a course seed, with the first error of each."""
    student, failed = local(function, exercise), {}
    for check in checks or exercise.checks:
        for drawn in cases(exercise, check, seed):
            with running(Case()):
                try:
                    check.body(student, **drawn)
                except Exception as error:  # noqa: BLE001 - counted
                    failed[check.name] = error
                    break
    return failed


def test_every_exercise_has_right_and_wrong_answers_enough():
    few = {name: len(e.alternates) for name, e in EXERCISES.items() if len(e.alternates) < (3 if e.parameters is None else 5)}
    assert not few and all(len(exercise.misconceptions) >= 8 for exercise in EXERCISES.values())


@pytest.mark.parametrize("name", EXERCISES)
def test_every_right_answer_holds_on_every_seed(name):
    exercise = EXERCISES[name]
    for seed in range(SEEDS):
        for function in [exercise.reference.function, *(a.function for a in exercise.alternates)]:
            assert not failing(exercise, function, seed), (function.__name__, seed)


@pytest.mark.parametrize("name, wrong", WRONG)
def test_every_misconception_fails_the_check_that_its_author_named(name, wrong):
    exercise = EXERCISES[name]
    known = next(a for a in exercise.misconceptions if a.name == wrong)
    for seed in range(100, 100 + max(2, SEEDS // 10)):
        assert failing(exercise, known.function, seed, [known.caught_by]), seed


@pytest.mark.parametrize("name", EXERCISES)
def test_every_check_fails_some_misconception(name):
    exercise = EXERCISES[name]
    alive = list(exercise.checks)
    for known in sorted(exercise.misconceptions, key=lambda known: exercise.checks.index(known.caught_by)):
        killed = failing(exercise, known.function, 7, alive) if alive else {}
        alive = [check for check in alive if check.name not in killed]
    assert not alive


@pytest.mark.parametrize("name", EXERCISES)
@pytest.mark.parametrize("fill", FILLS)
def test_a_trivial_answer_earns_nothing(name, fill):
    exercise = EXERCISES[name]
    failed = failing(exercise, trivial(FILLS[fill], exercise), 1)
    assert failed.keys() == {check.name for check in exercise.checks}


def test_inputs_keep_their_promises():
    """What the lesson promises about inputs: float64, no row of -inf only in softmax, no empty row but in its own check."""
    for exercise in EXERCISES.values():
        for check in exercise.checks:
            for drawn in draw_cases(check, seed=5):
                for value in _tensors(drawn):
                    assert not value.is_floating_point() or value.dtype is torch.float64
                    assert value.is_contiguous() and not value.isnan().any()
    attend = EXERCISES["attention.scaled_dot_product_attention"]
    for check in attend.checks:
        masks = [m for drawn in draw_cases(check, seed=5) for m in _tensors(drawn) if m.dtype is torch.bool]
        assert all(m.any(-1).all() for m in masks) != (check.name == "a_query_that_sees_nothing_gets_zeros") or not masks


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
