"""Public half of the exercise `dense_parameters`."""

from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal, assert_true
from autograder.exercise import Exercise
from autograder.strategies import sizes
from autograder.student import integers


def returns(N, D):
    return {"the count": integers()}


exercise = Exercise(__name__, title="How many parameters a dense layer would have", returns=returns)


@lru_cache(maxsize=None)
def sentence_sizes(*, tokens=sizes(1, 9)):
    """Draws (N, D)."""
    return st.tuples(tokens, sizes(1, 9))


@exercise.check(points=0.5, examples=10, hint="For N = 1 the layer maps D numbers to D numbers. How many weights is that? There are no biases here.",
                kept="the smallest case, which can be drawn: who forgets the weights between tokens keeps this point")
@given(sentence_sizes(tokens=st.just(1)))
def one_token_takes_a_square_matrix(student, case):
    """For N = 1 there are D x D weights."""
    N, D = case
    assert_equal(student(1, D), torch.tensor(D * D), what="the count for one token")


@exercise.check(points=0.5, examples=10, hint="Draw the layer for N = 2, D = 1: two numbers in, two out, and a weight between any two. Then for N = "
                                              "4. By which factor does it grow?",
                kept="the growth is what the lesson compares with attention; two or three matrices in place of one keep this point")
@given(sentence_sizes())
def twice_the_tokens_four_times_the_weights(student, case):
    """Twice as many tokens take four times as many weights, and so do tokens twice as wide."""
    N, D = case
    count = student(N, D)
    assert_true(count > 0, "no parameters are counted at all", what="the count")
    assert_equal(student(N, 2 * D), 4 * count, what="the count after D was doubled")
    assert_equal(student(2 * N, D), 4 * count, what="the count after N was doubled")


@exercise.check(points=1, examples=10, hint="Write all numbers of the sentence into one long vector. How long is it, and what shape has a matrix "
                                            "that maps it to another one of that length?",
                kept="the definition: torch's own layer is counted, where the other two ask for the smallest case and for the growth "
                     "alone")
@given(sentence_sizes())
def as_many_as_in_a_linear_layer(student, case):
    """The count is that of torch's Linear layer without bias on the whole sentence as one vector."""
    N, D = case
    layer = torch.nn.Linear(N * D, N * D, bias=False, device="meta")
    assert_equal(student(N, D), torch.tensor(layer.weight.numel()), what="the count")
