"""Public half of the exercise `simple_attention`."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.properties import assert_answered, assert_attention_weights
from autograder.strategies import leading, permutations, tensors
from autograder.student import floats


def returns(X):
    return {"Y": floats(*X.shape), "alpha": floats(*X.shape[:-1], X.shape[-2])}


exercise = Exercise(__name__, title="Attention without parameters", returns=returns,
                    forbids=("torch.nn.functional.scaled_dot_product_attention", "torch.nn.MultiheadAttention",
                             "torch.nn.functional.multi_head_attention_forward"))


TWO = torch.tensor([[0.0, 1.0], [2.0, 0.5]], dtype=torch.float64)


@exercise.check(points=1, hint="You need one weight for each pair of tokens. Sum one row of alpha: which axis did the softmax run over?",
                kept="says in one line what row-stochastic means; weights with a scale that was not asked for keep this point, "
                     "and so does one that is right for a single sentence only")
@given(tensors(batch=st.just(())))
def rows_of_the_weights_sum_to_one(student, X):
    """Each row of the N x N weights is positive, sums to 1, and grows with the inner products."""
    _, alpha = student(X)
    assert_attention_weights(alpha, X @ X.mT)


@exercise.check(points=1, hint="Row n of alpha holds the weights of token n. Write y_1 as a sum over tokens for N = 2 and compare.")
@given(tensors())
def the_output_is_the_weighted_mean(student, X):
    """Row n of Y is the mean of the tokens with the weights in row n of alpha."""
    Y, alpha = student(X)
    assert_attention_weights(alpha, X @ X.mT)
    assert_close(Y, alpha @ X, what="Y, against alpha @ X,")
    assert_true((Y <= X.amax(-2, keepdim=True) + 1e-5).all() and (Y >= X.amin(-2, keepdim=True) - 1e-5).all(),
                "Y leaves the range of the tokens it averages", what="Y")


@exercise.check(points=1, hint="Take two tokens at right angles, [1, 0] and [0, 1]. What are their four inner products, and what does "
                               "the softmax of a row make of them?")
@given(tensors(low=2))
def weights_follow_the_inner_products(student, X):
    """Row n of the weights is the softmax of the inner products of token n with all tokens."""
    _, alpha = student(X)
    assert_close(alpha, torch.softmax(X @ X.mT, -1), what="alpha")


@st.composite
def tokens_and_order(draw):
    """Tokens and a new order for them."""
    X = draw(tensors(low=2, batch=leading()))
    return X, draw(permutations(X.shape[-2]))


@exercise.check(points=1, examples=10, hint="Nothing in the formula knows the position of a token. Does anything in your code?",
                kept="says that attention knows no places, which the lesson on positions starts from; it needs no formula to compare "
                     "with")
@given(tokens_and_order())
def reordering_tokens_reorders_the_output(student, X_order):
    """If the tokens are put in another order, the outputs come in that order and are otherwise the same."""
    X, order = X_order
    Y, alpha = student(X)
    assert_attention_weights(alpha, X @ X.mT)
    Y_new, alpha_new = student(X[..., order, :].contiguous())
    assert_close(Y_new, Y[..., order, :], what="Y of the reordered tokens")
    assert_close(alpha_new, alpha[..., order, :][..., order], what="alpha of the reordered tokens")


@exercise.check(points=0.5, examples=8, hint="If X changed, which line writes into it? Anything else the checks above tell better.")
@given(tensors())
def the_input_stays_as_it_was(student, X):
    """The tokens that were passed in are unchanged afterwards (and used)."""
    assert_close(student.arguments_after(X)[0], X, what="X after the call")
    assert_answered(student, (TWO,), (TWO.flip(-1),), X)
