"""Staff half of the exercise `attention_parameters`: reference, alternates, misconceptions, hidden checks."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal, assert_true
from autograder.exercises.multihead.attention_parameters import (biases_add_their_own, exercise, heads_that_do_not_fit_are_refused,
                                                                 the_number_of_heads_does_not_matter, weights_alone)


@exercise.solution
def attention_parameters(D, H, bias=True):
    """The number of parameters of multi-head attention on D features with H heads of width D/H, the output matrix included.

    D: features of a token, an int. H: the number of heads, an int. bias: whether queries, keys, values and output have biases.
    Returns an int.
    Raises ValueError where H does not divide D.
    """
    if D % H != 0:
        raise ValueError(f"{H} heads do not divide {D} features")
    return 4 * D * D + (4 * D if bias else 0)


@exercise.hidden_check(points=1, examples=20, hint="Put in a model that you know, D = 768 with 12 heads, and count its matrices and "
                                                   "biases on paper.")
@given(st.sampled_from([(64, 4), (512, 8), (768, 12), (1600, 25), (10005, 15), (12288, 96)]), st.sampled_from([(), (True,), (False,)]))
def counts_of_known_models(student, sizes, bias):
    """Counts the attention of models from 64 to 12,288 features, with and without biases, to the last digit."""
    small = student(1, 1)
    assert_equal(small, torch.tensor(8), what="the count for D = 1")
    assert_equal(student(*sizes, *bias), torch.tensor(attention_parameters.function(*sizes, *bias)), what="the count")


@exercise.hidden_check(points=0.5, examples=12, hint="Build nn.MultiheadAttention(D, H, bias=bias) and add up p.numel() over its parameters.",
                       kept="counts the numbers in torch's own layer, so that a slip in our formula could not pass for the truth; bias"
                            " comes by position here")
@given(st.integers(1, 4), st.integers(1, 4), st.booleans())
def counts_what_torch_has(student, H, width, bias):
    """Counts as many parameters as torch's own layer holds."""
    layer = torch.nn.MultiheadAttention(H * width, H, bias=bias, device="meta")
    count = student(H * width, H, bias)
    assert_true(count > 0, "no parameters are counted at all", what="the count")
    assert_equal(count, torch.tensor(sum(p.numel() for p in layer.parameters())), what="the count")


@exercise.alternate
def head_by_head(D, H, bias=True):
    if D % H:
        raise ValueError("H must divide D")
    width, total = D // H, 0
    for _ in range(H):
        total += 3 * (D * width + (width if bias else 0))
    return total + H * width * D + bool(bias) * D


@exercise.alternate
def as_a_float(D, H, bias=True):
    assert D % H == 0
    return 4.0 * D * (D + bias)


@exercise.alternate
def counted_in_a_tensor(D, H, bias=True):
    if D // H * H != D:
        raise ValueError(H)
    return torch.tensor(3 * D * D + D ** 2) + 4 * D * int(bias)


@exercise.alternate
def by_building_the_layer(D, H, bias=True):
    layer = torch.nn.MultiheadAttention(D, H, bias=bias, device="meta")
    return sum(p.numel() for p in layer.parameters())


def _check(D, H):
    if D % H != 0:
        raise ValueError("H does not divide D")


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(weights_alone, "a count that stops at queries, keys and values: the output matrix is missing")
def output_matrix_forgotten(D, H, bias=True):
    _check(D, H)
    return 3 * D * D + (3 * D if bias else 0)


@_wrong(the_number_of_heads_does_not_matter, "H times the parameters of one head of full width D")
def full_width_for_every_head(D, H, bias=True):
    _check(D, H)
    return 3 * H * D * D + D * D + (4 * D if bias else 0)


@_wrong(the_number_of_heads_does_not_matter, "the parameters of a single head: the other heads are not counted")
def one_head_counted(D, H, bias=True):
    _check(D, H)
    return 3 * D * (D // H) + D * D + (4 * D if bias else 0)


@_wrong(the_number_of_heads_does_not_matter, "everything multiplied by H")
def times_the_heads(D, H, bias=True):
    _check(D, H)
    return H * (4 * D * D + (4 * D if bias else 0))


@_wrong(weights_alone, "one matrix of D x D only")
def one_matrix(D, H, bias=True):
    _check(D, H)
    return D * D + (4 * D if bias else 0)


@_wrong(weights_alone, "queries and keys that share a matrix")
def shared_keys(D, H, bias=True):
    _check(D, H)
    return 3 * D * D + (4 * D if bias else 0)


@_wrong(biases_add_their_own, "a bias of the output matrix that is missing")
def output_bias_forgotten(D, H, bias=True):
    _check(D, H)
    return 4 * D * D + (3 * D if bias else 0)


@_wrong(biases_add_their_own, "a bias of the output matrix only")
def output_bias_only(D, H, bias=True):
    _check(D, H)
    return 4 * D * D + (D if bias else 0)


@_wrong(biases_add_their_own, "a single number as the bias of each matrix")
def one_number_for_a_bias(D, H, bias=True):
    _check(D, H)
    return 4 * D * D + (4 if bias else 0)


@_wrong(biases_add_their_own, "biases that are counted once for every head and added up over all of them")
def biases_for_every_head(D, H, bias=True):
    _check(D, H)
    return 4 * D * D + (3 * D * H + D if bias else 0)


@_wrong(weights_alone, "biases that are counted even where bias=False")
def biases_always(D, H, bias=True):
    _check(D, H)
    return 4 * D * D + 4 * D


@_wrong(biases_add_their_own, "biases that are never counted")
def biases_never(D, H, bias=True):
    _check(D, H)
    return 4 * D * D


@_wrong(biases_add_their_own, "an argument `bias` that is False unless it is given")
def default_without_bias(D, H, bias=False):
    _check(D, H)
    return 4 * D * D + (4 * D if bias else 0)


@_wrong(weights_alone, "an argument `bias` read the other way round")
def bias_inverted(D, H, bias=True):
    _check(D, H)
    return 4 * D * D + (0 if bias else 4 * D)


@_wrong(weights_alone, "a whole transformer layer (12 D²): attention and the MLP after it")
def whole_layer(D, H, bias=True):
    _check(D, H)
    return 12 * D * D + (4 * D if bias else 0)


@_wrong(heads_that_do_not_fit_are_refused, "an answer for heads that do not fit, where a ValueError is asked for")
def accepts_everything(D, H, bias=True):
    return 4 * D * D + (4 * D if bias else 0)


@_wrong(heads_that_do_not_fit_are_refused, "heads rounded down to D // H features, where a ValueError is asked for")
def rounds_down(D, H, bias=True):
    width = D // H * H
    return 4 * D * width + (3 * width + D if bias else 0)


@_wrong(heads_that_do_not_fit_are_refused, "only more heads than features refused, not a remainder")
def refuses_too_many_only(D, H, bias=True):
    if H > D:
        raise ValueError(H)
    return 4 * D * D + (4 * D if bias else 0)


@_wrong(counts_of_known_models, "a count in float32, which runs out of digits")
def in_single_precision(D, H, bias=True):
    _check(D, H)
    width = torch.tensor(float(D))
    return 4 * width * width + (4 * width if bias else 0)
