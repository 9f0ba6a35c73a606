"""Staff half of the exercise `transformer_parameters`: reference, alternates, misconceptions, hidden check."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal
from autograder.exercises.transformer.transformer_parameters import (counts_the_matrices_of_a_real_layer, exercise, gives_the_published_sizes,
                                                                     grows_with_layers_and_with_the_square_of_the_width)


@exercise.solution
def transformer_parameters(D, n_layers):
    """The number of weights in the matrices of a stack of transformer layers, as in `TransformerLayer`.

    D: the width, an int. n_layers: how many layers there are, an int.
    Biases, LayerNorms, embeddings and the head are left out.
    Returns an int, exact.
    """
    attention = 4 * D * D
    mlp = 2 * D * (4 * D)
    return n_layers * (attention + mlp)


# beyond what a 32-bit integer or a float32 holds
large = st.tuples(st.integers(2000, 20000), st.integers(1, 128))


@exercise.hidden_check(points=1, examples=12,
                       hint="A large model has more weights than a float32 or a 32-bit integer can count exactly. Keep to Python ints.")
@given(large)
def is_exact_for_large_models(student, D_and_layers):
    """Is exact for models of every size."""
    assert_equal(student(*D_and_layers), transformer_parameters(*D_and_layers), what="the count")


@exercise.alternate
def in_one_line(D, n_layers):
    return 12 * n_layers * D ** 2


@exercise.alternate
def counted_on_a_layer(D, n_layers):
    layer = torch.nn.TransformerEncoderLayer(D, 1, 4 * D, device="meta")
    return n_layers * sum(p.numel() for p in layer.parameters() if p.ndim > 1)


@exercise.alternate
def as_a_float(D, n_layers):
    return 12.0 * n_layers * D ** 2


@exercise.alternate
def as_a_tensor(D, n_layers):
    return torch.tensor(D) ** 2 * 12 * n_layers


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(counts_the_matrices_of_a_real_layer, "attention counted without the MLP")
def attention_only(D, n_layers):
    return n_layers * 4 * D * D


@_wrong(counts_the_matrices_of_a_real_layer, "the MLP counted without attention, or attention with only one of the MLP's two matrices")
def mlp_only(D, n_layers):
    return n_layers * 8 * D * D


@_wrong(counts_the_matrices_of_a_real_layer, "attention counted without its output matrix")
def without_the_output_matrix(D, n_layers):
    return n_layers * 11 * D * D


@_wrong(counts_the_matrices_of_a_real_layer, "an MLP as wide as the model, without the factor 4")
def narrow_mlp(D, n_layers):
    return n_layers * 6 * D * D


@_wrong(counts_the_matrices_of_a_real_layer, "a decoder's layer, which has two attentions")
def with_cross_attention(D, n_layers):
    return n_layers * 16 * D * D


@_wrong(counts_the_matrices_of_a_real_layer, "a count that includes biases and LayerNorms")
def with_biases(D, n_layers):
    return n_layers * (12 * D * D + 13 * D)


@_wrong(counts_the_matrices_of_a_real_layer, "a count that includes an embedding of 50,257 tokens")
def with_embeddings(D, n_layers):
    return n_layers * 12 * D * D + 50257 * D


@_wrong(grows_with_layers_and_with_the_square_of_the_width, "the layers squared instead of the width")
def layers_squared(D, n_layers):
    return 12 * D * n_layers ** 2


@_wrong(grows_with_layers_and_with_the_square_of_the_width, "a count that is proportional to the width, not to its square")
def width_not_squared(D, n_layers):
    return 12 * D * n_layers


@_wrong(grows_with_layers_and_with_the_square_of_the_width, "a single layer, however many there are")
def one_layer(D, n_layers):
    return 12 * D * D


@_wrong(grows_with_layers_and_with_the_square_of_the_width, "layers and width squared, both")
def everything_squared(D, n_layers):
    return 12 * (n_layers * D) ** 2


@_wrong(gives_the_published_sizes, "a count in millions")
def in_millions(D, n_layers):
    return round(12 * n_layers * D * D / 1e6)


@_wrong(is_exact_for_large_models, "arithmetic in 32-bit floats, which rounds")
def in_float32(D, n_layers):
    return int(torch.tensor(12.0 * n_layers) * torch.tensor(float(D)) ** 2)


@_wrong(gives_the_published_sizes, "32-bit integers, which overflow")
def in_int32(D, n_layers):
    return int(torch.tensor(12 * n_layers, dtype=torch.int32) * torch.tensor(D, dtype=torch.int32) ** 2)
