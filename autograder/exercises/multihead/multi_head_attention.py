"""Public half of the exercise `multi_head_attention`."""

import math
from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.exercises.multihead.split_heads import BATCHES, OTHER_BATCHES
from autograder.strategies import fillers, permutations, sizes
from autograder.student import floats


def returns(X, W_q, W_k, W_v, W_o):
    return {"Y": floats(*X.shape)}


exercise = Exercise(__name__, title="Multi-head attention", returns=returns)


@lru_cache(maxsize=None)
def tokens_and_weights(batch=BATCHES, *, tokens=sizes(1, 4), heads=sizes(1, 3), kinds=("small integers", "normal", "uniform")):
    """Draws (X, W_q, W_k, W_v, W_o): lists of H matrices D x D_k or D x D_v, and one H·D_v x D; all sizes drawn apart."""
    return st.tuples(batch, tokens, heads, sizes(1, 4), sizes(1, 3), sizes(1, 3), fillers(kinds)).map(_fill)


def _fill(drawn):
    batch, N, H, D, D_k, D_v, filler = drawn
    X, W_q, W_k, W_v, W_o = filler((*batch, N, D), (H, D, D_k), (H, D, D_k), (H, D, D_v), (H * D_v, D))
    return X, *([W[h].clone() / 2 for h in range(H)] for W in (W_q, W_k, W_v)), W_o / 2


def mixed_by(scores, X, W_v, W_o):
    """One head with given scores: softmax(scores) X W_v W_o."""
    return torch.softmax(scores, -1) @ X @ W_v @ W_o


def one_head(X, W_q, W_k, W_v, W_o):
    """Attention with one head, its rows of W_o included: softmax(Q K^T / sqrt(D_k)) V W_o."""
    return mixed_by((X @ W_q) @ (X @ W_k).mT / math.sqrt(W_q.shape[-1]), X, W_v, W_o)


@exercise.check(points=1, examples=15, hint="A single token can attend only to itself, with weight 1. So what is left of the formula for N = 1? Try "
                                            "it with H = 2, and put zeros in the lower half of W_o to see one head alone.",
                kept="leaves values, their order and W_o, without a softmax; a wrong scale keeps this point")
@given(tokens_and_weights(tokens=st.just(1)))
def a_single_token_passes_through_values_and_W_o(student, case):
    """For N = 1, Y is the H vectors x W_v[h] side by side, times W_o."""
    X, W_v, W_o = case[0], case[3], case[4]
    assert_close(student(*case), torch.cat([X @ W for W in W_v], -1) @ W_o, what="Y of a single token")


@exercise.check(points=1, examples=20, hint="With one head there is nothing to concatenate: Q, K and V are X times one matrix each. Compute the "
                                            "scores of two tokens by hand; what are they divided by?",
                kept="the exercise before, with matrices: heads put together in a wrong order keep this point")
@given(tokens_and_weights(heads=st.just(1)))
def one_head_is_single_attention(student, case):
    """For H = 1, Y is scaled dot-product attention of X W_q, X W_k and X W_v, times W_o."""
    X, (W_q,), (W_k,), (W_v,), W_o = case
    assert_close(student(*case), one_head(X, W_q, W_k, W_v, W_o), what="Y with one head")


@exercise.check(points=1.5, examples=15, hint="Take H = 2 and call your function on each head alone, with the rows of W_o that meet this head after "
                                              "the concatenation. The two outputs should add up to that of both heads: do they?",
                kept="the only one that asks several heads of plain batches for everything; it tells a wrong head from a wrong sum of "
                     "heads")
@given(tokens_and_weights(heads=sizes(2, 3)))
def the_output_is_a_sum_over_the_heads(student, case):
    """The output of all heads is the sum of the outputs of each head alone, with its own D_v rows of W_o."""
    X, W_q, W_k, W_v, W_o = case
    width = W_v[0].shape[-1]
    alone = [student(X, [W_q[h]], [W_k[h]], [W_v[h]], W_o[h * width:(h + 1) * width].clone()) for h in range(len(W_q))]
    assert_close(alone[0], one_head(X, W_q[0], W_k[0], W_v[0], W_o[:width]), what="Y of head 0 alone")
    assert_close(student(*case), sum(alone), what="Y of all heads")


@exercise.check(points=0.5, examples=12, hint="With W_q = 0 all scores are 0. Which weights does a softmax make of them, and along which axis do "
                                              "they sum to 1?",
                kept="leaves the softmax out of the scores' hands: a wrong scale keeps this point, and a mask that nobody asked for is"
                     " seen at once")
@given(tokens_and_weights())
def equal_scores_give_the_mean(student, case):
    """Where every W_q[h] is zero, each token receives the mean of all tokens' values."""
    X, W_q, W_k, W_v, W_o = case
    mean = X.mean(-2, keepdim=True).expand(X.shape)
    Y = student(X, [torch.zeros_like(W) for W in W_q], W_k, W_v, W_o)
    assert_close(Y, torch.cat([mean @ W for W in W_v], -1) @ W_o, what="Y where W_q is zero")


@st.composite
def with_an_order(draw):
    """Tokens, weights and a new order of the tokens."""
    case = draw(tokens_and_weights(tokens=sizes(2, 4), kinds=("normal",)))
    return case, draw(permutations(case[0].shape[-2]))


@exercise.check(points=0.5, examples=10, hint="Swap two tokens of X: the same two rows of Y should be swapped, and nothing else should happen. Does "
                                              "a reshape mix numbers of different tokens, or of different sentences?",
                kept="says that heads know no places either; it compares the answer with itself, so that a wrong scale or order of "
                     "heads keeps this point")
@given(with_an_order())
def tokens_in_another_order(student, case):
    """Tokens in another order give the same outputs in that order, and doubling W_o doubles them."""
    (X, *lists, W_o), order = case
    Y = student(X, *lists, W_o)
    assert_true((Y.abs().amax((-2, -1)) > 0).all(), "Y is zero, or not a number, for a whole sentence", what="Y")
    assert_close(student(X, *lists, 2 * W_o), 2 * Y, what="Y after W_o was doubled")
    assert_close(student(X[..., order, :].contiguous(), *lists, W_o), Y[..., order, :], what="Y after the tokens were reordered")


@exercise.check(points=1, examples=15, hint="Call your function on X of shape 2 x 3 (one sentence) and of shape 2 x 2 x 2 x 3. Does a line count on "
                                            "three dimensions?")
@given(tokens_and_weights(OTHER_BATCHES, tokens=sizes(1, 3), heads=sizes(1, 2)))
def any_leading_dimensions_will_do(student, case):
    """X without a batch dimension, or with two of them, gives for each sentence what the heads give for it alone."""
    X, W_q, W_k, W_v, W_o = case
    heads = zip(W_q, W_k, W_v, W_o.split(W_v[0].shape[-1]))
    assert_close(student(*case), sum(one_head(X, *weights) for weights in heads), what="Y")


@exercise.check(points=0.5, examples=8, hint="If the message says that an input was changed, does a line write into it (`/=`, `+=`), or take a matrix "
                                             "out of its list? If not, the checks above say more.")
@given(tokens_and_weights())
def the_inputs_stay_as_they_were(student, case):
    """X, the matrices and the lists that hold them are unchanged afterwards (and used)."""
    X, W_q, W_k, W_v, W_o = case
    alone = X[..., :1, :].contiguous()
    assert_close(student(alone, W_q, W_k, W_v, W_o), torch.cat([alone @ W for W in W_v], -1) @ W_o, what="Y of the first token alone")
    after = student.arguments_after(*case)
    for name, given_, left in zip(("X", "W_q", "W_k", "W_v", "W_o"), case, after):
        if name in ("X", "W_o"):
            assert_close(left, given_, what=f"{name} after the call")
            continue
        assert_true(len(left) == len(given_), f"the list {name} was changed by the call: it has not as many matrices as before", what=name)
        for h, (mine, theirs) in enumerate(zip(left, given_)):
            assert_close(mine, theirs, what=f"{name}[{h}] after the call")
