"""The comparison: it does not happen where the student's code can reach it, and a coarse dtype hides no mistake."""

import pytest
import torch

from autograder.case import Case, running
from autograder.compare import Mismatch, assert_close

HEAD = "def softmax(Z, dim=-1):\n"
PATCHED = ("torch.allclose = torch.equal = torch.isclose = lambda *a, **k: True\ntorch.testing.assert_close = lambda *a, **k: None\n"
           "for name in ('__eq__', '__le__', '__lt__', '__gt__', 'all', 'any', 'allclose'):\n"
           "    setattr(torch.Tensor, name, lambda *a, **k: torch.ones((), dtype=torch.bool))\n" + HEAD + "    return Z\n")


def test_the_grader_keeps_its_own_functions(attack):
    """What is patched in the worker is not patched here."""
    before = (torch.allclose, torch.Tensor.__eq__, torch.testing.assert_close)
    attack({"softmax": PATCHED}).earns_nothing()
    assert (torch.allclose, torch.Tensor.__eq__, torch.testing.assert_close) == before


COARSE = (HEAD + "    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)\n"
          "    wrong = weights / (weights.sum(dim=dim, keepdim=True) + 1e-3)\n    return wrong{}\n")


@pytest.mark.parametrize("ending", ["", ".half()", ".bfloat16().detach()"])
def test_wrong_answer_blurred_by_a_coarse_dtype(attack, ending):
    """An answer that is wrong by a thousandth, returned in a dtype too coarse to show it."""
    attacked = attack({"softmax": COARSE.format(ending)})
    attacked.harms_no_other()
    assert attacked.exercise().score <= attacked.exercise().max_score / 2


def test_infinity_expected_and_a_coarse_dtype():
    """Where infinity is expected, a finite number is wrong in every dtype."""
    with running(Case(rounding=1e-7)), pytest.raises(Mismatch):
        assert_close(torch.zeros(2), torch.full((2,), float("inf")), what="x")


def test_inputs_are_the_students_own_copy(attack, right):
    """Writing into an input changes neither the grader's input nor that of the next call."""
    attacked = attack({"softmax": right["softmax"].replace("return ", "Z.fill_(7)\n    return ")})
    assert [c.name for c in attacked.exercise().checks if c.outcome != "correct"] == ["the_input_stays_as_it_was"]
