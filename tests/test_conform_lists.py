"""A result that is a list of tensors: what is taken for one, and what it is shown as."""

import pytest
import torch

from autograder.compare import Mismatch
from autograder.conform import conform, floats
from autograder.rendering import render

SHAPES = {"W": [floats(2, 1), floats(2, 1)], "b": floats(2)}
W, b = torch.arange(4.0, dtype=torch.float64).reshape(2, 2, 1), torch.ones(2, dtype=torch.float64)


@pytest.mark.parametrize("given", [[W[0], W[1]], (W[0], W[1]), W, W.float()])
def test_a_list_a_tuple_and_a_stacked_tensor_hold_the_same_values(given):
    found, _ = conform((given, b), SHAPES)
    assert [item.tolist() for item in found] == W.tolist() and all(item.dtype is torch.float64 for item in found)


@pytest.mark.parametrize("given, sentence", [
    ([W[0]], "W must be a list of tensors of the length asked for"), (W[0, 0, 0], "W must be a list"), (None, "is a return statement missing"),
    ([W[0], b], r"W\[1\] has the wrong shape"), ([W[0], None], r"W\[1\] must be a tensor")])
def test_what_does_not_fit_is_named(given, sentence):
    with pytest.raises(Mismatch, match=sentence):
        conform((given, b), SHAPES)


def test_the_tensors_of_a_list_stand_one_below_the_other():
    assert render([b, W[0]]) == "[0] [1., 1.]   (2)\n[1] [[0.],\n     [1.]]   (2 × 1)"
