"""Public half of the exercise `transformer_parameters`."""

import torch
import torch.nn as nn
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal, assert_true
from autograder.exercise import Exercise
from autograder.strategies import sizes
from autograder.student import integers


def returns(D, n_layers):
    return {"the count": integers()}


exercise = Exercise(__name__, title="How many parameters?", returns=returns)

PUBLISHED = ((768, 12, 84_934_656), (1600, 48, 1_474_560_000), (12288, 96, 173_946_175_488))

models = st.tuples(sizes(1, 12), sizes(1, 6))


@exercise.check(points=1, examples=12,
                hint="List the weight matrices of one layer with their shapes, first attention, then the MLP with its 4 D hidden units, "
                     "and add them up for D = 2.",
                kept="counts a layer that can be taken apart, so that its hint can ask which matrix is missing")
@given(models)
def counts_the_matrices_of_a_real_layer(student, D_and_layers):
    """The count is that of the weight matrices in a stack of torch's own layers; biases and LayerNorms are left out."""
    D, n_layers = D_and_layers
    layer = nn.TransformerEncoderLayer(D, 1, 4 * D, device="meta")
    matrices = sum(parameter.numel() for parameter in layer.parameters() if parameter.dim() == 2)
    assert_equal(student(D, n_layers), torch.tensor(matrices * n_layers), what="the count")


@exercise.check(points=1, examples=12,
                hint="Twice as many layers: how many times the weights? Twice the width D: how many times the entries of a D x D matrix?",
                kept="tells a wrong law (the width not squared, one layer for all) from a wrong factor")
@given(models, sizes(2, 4))
def grows_with_layers_and_with_the_square_of_the_width(student, D_and_layers, factor):
    """The count grows in proportion to the layers and to the square of the width."""
    D, n_layers = D_and_layers
    count = student(D, n_layers)
    assert_true(count > 0, "the count is not positive", what="the count")
    assert_equal(student(D, n_layers * factor), count * factor, what="the count with more layers")
    assert_equal(student(D * factor, n_layers), count * factor**2, what="the count of a wider model")


@exercise.check(points=1, examples=6,
                hint="Divide your count by n_layers and twice by D: how many D x D matrices does it give to a layer? Attention has four. "
                     "How many would hold as many weights as the two of the MLP?")
@given(st.sampled_from(PUBLISHED))
def gives_the_published_sizes(student, model):
    """Gives the three figures of the table above to the last digit."""
    D, n_layers, expected = model
    assert_equal(student(D, n_layers), torch.tensor(expected), what="the count")
