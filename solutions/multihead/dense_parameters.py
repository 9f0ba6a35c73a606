"""Staff half of the exercise `dense_parameters`: reference, alternates, misconceptions, hidden checks."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal
from autograder.exercises.multihead.dense_parameters import (as_many_as_in_a_linear_layer, exercise, one_token_takes_a_square_matrix,
                                                             twice_the_tokens_four_times_the_weights)


@exercise.solution
def dense_parameters(N, D):
    """The number of weights of one dense layer, without biases, that maps all N·D numbers of a sentence to N·D numbers.

    N: the number of tokens, an int. D: features of a token, an int.
    Returns an int.
    """
    return (N * D) ** 2


@exercise.hidden_check(points=1, examples=10, hint="Put in N = 1024 and D = 768: the number has twelve digits. Is yours exact to the last one?")
@given(st.sampled_from([(1, 768), (16, 512), (1024, 768), (2048, 64), (1000, 1001)]))
def counts_of_long_sentences(student, sizes):
    """Counts the weights for sentences of up to 2,048 tokens, to the last digit."""
    assert_equal(student(*sizes), torch.tensor(dense_parameters.function(*sizes)), what="the count")


@exercise.alternate
def rows_times_columns(N, D):
    inputs, outputs = N * D, N * D
    return inputs * outputs


@exercise.alternate
def as_a_float(N, D):
    return float(N) ** 2 * float(D) ** 2


@exercise.alternate
def pair_by_pair(N, D):
    return sum(D * D for _ in range(N)) * N


@exercise.alternate
def by_building_the_layer(N, D):
    return torch.nn.Linear(N * D, N * D, bias=False, device="meta").weight.numel()


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(twice_the_tokens_four_times_the_weights, "a matrix of D x D for each token: then no token could hear of another")
def a_matrix_for_each_token(N, D):
    return N * D * D


@_wrong(twice_the_tokens_four_times_the_weights, "one D x D matrix shared by all tokens: then no token could hear of another")
def one_shared_matrix(N, D):
    return D * D


@_wrong(one_token_takes_a_square_matrix, "one number for each pair of tokens, applied to all features alike")
def one_number_for_a_pair(N, D):
    return N * N


@_wrong(one_token_takes_a_square_matrix, "one number for each pair of tokens and each feature")
def one_number_for_a_feature(N, D):
    return N * N * D


@_wrong(one_token_takes_a_square_matrix, "the length N·D of the vector in place of the size of the matrix")
def length_of_the_vector(N, D):
    return N * D


@_wrong(as_many_as_in_a_linear_layer, "weights and biases, where weights alone are asked for")
def with_biases(N, D):
    return (N * D) ** 2 + N * D


@_wrong(one_token_takes_a_square_matrix, "two layers in place of one")
def two_layers(N, D):
    return 2 * (N * D) ** 2


@_wrong(as_many_as_in_a_linear_layer, "pairs counted once (the upper triangle), though there and back are different weights")
def each_pair_once(N, D):
    return N * (N + 1) // 2 * D * D


@_wrong(as_many_as_in_a_linear_layer, "a token's weights to itself left out")
def without_itself(N, D):
    return N * (N - 1) * D * D if N > 1 else D * D


@_wrong(one_token_takes_a_square_matrix, "three matrices, for queries, keys and values, which a dense layer does not have")
def three_matrices(N, D):
    return 3 * (N * D) ** 2


@_wrong(counts_of_long_sentences, "a count in float32, which runs out of digits")
def in_single_precision(N, D):
    return torch.tensor(float(N * D)) ** 2
