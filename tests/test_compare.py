"""The comparison: what must pass passes, and NaN, infinities, empty and broadcastable answers never do."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.case import Case, running
from autograder.compare import TOLERANCE, Mismatch, assert_close, assert_equal
from autograder.student import booleans, conform, floats, integers


def close(got, expected) -> bool:
    with running(Case()):
        try:
            assert_close(torch.as_tensor(got, dtype=torch.float64), expected, what="y")
        except Mismatch:
            return False
    return True


numbers = st.lists(st.floats(-100, 100), min_size=1, max_size=8).map(lambda x: torch.tensor(x, dtype=torch.float64))


@given(numbers, st.integers(0, 7), st.sampled_from([math.nan, math.inf, -math.inf, 1e3, -1e3]))
@settings(deadline=None)
def test_one_bad_entry_anywhere_fails(expected, at, bad):
    got = expected.clone()
    got[at % len(got)] = expected[at % len(got)] + bad
    assert close(expected, expected) and not close(got, expected)


@given(numbers, st.floats(-1, 1))
@settings(deadline=None)
def test_the_tolerance_is_where_it_is_said_to_be(expected, part):
    scale = TOLERANCE * max(1.0, float(expected.abs().max()))
    assert close(expected + 0.9 * part * scale, expected)
    assert not close(expected + math.copysign(1.2 * scale, part), expected)


def test_shapes_must_be_equal():
    assert not close(torch.zeros(0, 3), torch.zeros(2, 3)) and not close(torch.zeros(1, 3), torch.zeros(2, 3))
    assert not close(torch.zeros(3), torch.zeros(3, 1)) and close(torch.zeros(0, 3), torch.zeros(0, 3))


def test_infinities_must_be_the_same():
    inf = torch.tensor([math.inf, 1.0])
    assert close(inf, inf) and not close(-inf, inf) and not close(torch.tensor([1e300, 1.0], dtype=torch.float64), inf)
    with running(Case(rounding=1e-3)), pytest.raises(Mismatch):
        assert_close(torch.tensor([5.0, 1.0]), inf, what="y")
    assert not close(torch.tensor([math.nan, 1.0]), torch.tensor([math.nan, 1.0]))


def test_coarse_dtypes_are_compared_at_their_own_precision_and_remarked_on():
    exact = torch.rand(50, dtype=torch.float64)
    for dtype, wrong in ((torch.float16, 5e-3), (torch.bfloat16, 4e-2), (torch.float32, 5e-5)):
        with running(Case()) as case:
            assert_close(conform(exact.to(dtype), {"y": floats(50)}), exact, what="y")
            assert any(str(dtype) in remark for remark in case.remarks)
            with pytest.raises(Mismatch):
                assert_close(conform((exact + wrong).to(dtype), {"y": floats(50)}), exact, what="y")


def test_a_failure_says_where_and_how_much():
    with running(Case()), pytest.raises(Mismatch) as caught:
        assert_close(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, 2.0], [3.0, 4.5]]), what="alpha")
    assert "expected 4.5, got 4 at [1, 1]; 1 of 4 entries differ" in str(caught.value)
    assert caught.value.where == (1, 1)


@pytest.mark.parametrize("value, shapes, said", [
    (None, {"Y": floats(2), "alpha": floats(2)}, "return statement"), (torch.ones(2), {"Y": floats(2), "alpha": floats(2)}, "one tensor"),
    (torch.ones(3), {"Y": floats(2)}, "wrong shape"), ([1.0, 2.0], {"Y": floats(2)}, "must be a tensor"),
    (torch.ones(2, dtype=torch.complex64), {"Y": floats(2)}, "complex"), (torch.tensor([0.5, 1]), {"m": booleans(2)}, "True and False"),
    (torch.tensor([0.5]), {"n": integers(1)}, "whole numbers")])
def test_a_wrong_structure_is_told_in_its_own_sentence(value, shapes, said):
    with running(Case()), pytest.raises(Mismatch, match=said):
        conform(value, shapes)


def test_values_decide_and_not_types():
    with running(Case()):
        assert conform([torch.ones(2), torch.ones(2)], {"Y": floats(2), "a": floats(2)})[0].dtype is torch.float64
        assert conform(torch.tensor([1, 0]), {"m": booleans(2)}).tolist() == [True, False]
        assert conform(0.5, {"H": floats()}).item() == 0.5 and conform(3.0, {"n": integers()}).item() == 3
        assert conform(torch.tensor([1, 2]), {"y": floats(2)}).dtype is torch.float64
        assert_equal(torch.tensor([1, 2]), torch.tensor([1, 2]), what="n")
        with pytest.raises(Mismatch, match="1 of 2"):
            assert_equal(torch.tensor([1, 2]), torch.tensor([1, 3]), what="n")
