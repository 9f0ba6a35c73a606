"""Mutants of a reference, and which of them its checks fail."""

from __future__ import annotations

import math
import sys

import pytest
import torch
from hypothesis import given

from autograder.compare import assert_close, assert_true
from autograder.deck import draw_exercise
from autograder.exercise import Exercise
from autograder.kills import deviation, kills
from autograder.mutants import mutants_of
from autograder.strategies import tensors
from autograder.student import floats

exercise = Exercise(f"{__name__}.planted.centred", "Centring", returns=lambda X: {"Y": floats(*X.shape)})
sys.modules[exercise.module] = sys.modules[__name__]  # an exercise's public half is a module of that name


@exercise.check(points=1, hint="Sum the entries of a row.")
@given(tensors())
def rows_sum_to_zero(student, X):
    """Each row sums to 0."""
    assert_close(student(X).sum(-1), 0.0, what="row sums")


@exercise.check(points=1, hint="There is none.")
@given(tensors())
def it_answers(student, X):
    """It answers."""
    assert_true(student(X) is not None, "nothing came back")


def _mean(X):
    return X.mean(dim=-1, keepdim=True)


@exercise.solution
def centred(X):
    """X less the mean of each row."""
    return X - _mean(X)


CHANGES = {mutant.change: mutant for mutant in mutants_of(exercise)}


def test_each_slip_is_made_once_in_the_reference_and_its_helpers():
    assert {"return X - _mean(X) -> return X + _mean(X)", "return X - _mean(X) -> return X", "return X - _mean(X) -> return _mean(X)",
            "return X.mean(dim=-1, keepdim=True) -> return X.mean(dim=-2, keepdim=True)",
            "return X.mean(dim=-1, keepdim=True) -> return X.sum(dim=-1, keepdim=True)"} <= CHANGES.keys()
    assert not any(change.partition(" -> ")[0] == change.partition(" -> ")[2] for change in CHANGES)


def test_a_mutant_behaves_as_it_is_called():
    X = torch.tensor([[1.0, 3.0]], dtype=torch.float64)
    assert torch.equal(CHANGES["return X - _mean(X) -> return X + _mean(X)"].function(X), torch.tensor([[3.0, 5.0]], dtype=torch.float64))
    assert torch.equal(CHANGES["return X.mean(dim=-1, keepdim=True) -> return X.sum(dim=-1, keepdim=True)"].function(X), X - 4)
    assert torch.equal(exercise.reference.function(X), X - 2), "the reference itself was changed"


def test_a_kill_names_check_example_and_margin():
    deck = draw_exercise(exercise, seed=3)
    killed = list(kills(deck, lambda X: X - _mean(X) + 1e-3, every_example=True))
    assert [kill.check.name for kill in killed] == ["rows_sum_to_zero"] and killed[0].example == 1
    assert 1e-3 / 7e-6 / 2 < killed[0].margin < math.inf
    assert not list(kills(deck, centred.function))
    assert deviation(deck, lambda X: X - _mean(X)) < 1e-3 < deviation(deck, lambda X: (X - _mean(X)).float().double()) + 1e-3
    with pytest.raises(AssertionError, match="rows_sum_to_zero"):
        deviation(deck, lambda X: X)


def test_an_endless_answer_is_a_kill(monkeypatch):
    monkeypatch.setattr("autograder.kills.ANSWER_SECONDS", 0.05)

    def endless(X):
        while True:
            pass
    killed = list(kills(draw_exercise(exercise, seed=3), endless))
    assert {kill.check.name for kill in killed} == {"rows_sum_to_zero", "it_answers"}


def test_what_is_given_is_not_mutated():
    from autograder.assignment import with_staff_half
    from support import ROOT
    layer = with_staff_half("transformer", ROOT)["TransformerLayer"]
    assert layer.gives_init and not [m.change for m in mutants_of(layer) if "nn.Sequential" in m.change or "self.norm1 = " in m.change]
