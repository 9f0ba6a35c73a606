"""Public half of the exercise `padding_mask`."""

from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.strategies import fillers, sizes
from autograder.student import booleans


def returns(lengths, N):
    return {"the mask": booleans(lengths.shape[0], 1, N)}


exercise = Exercise(__name__, title="The padding mask", returns=returns)


@lru_cache(maxsize=None)
@st.composite
def lengths_and_width(draw, low=0, widths=sizes(1, 6)):
    """Lengths of 1 to 4 sentences, 0 and N among them, and the padded width N."""
    N = draw(widths)
    lengths = draw(st.lists(st.integers(low, N), min_size=1, max_size=4))
    return torch.tensor(lengths), N


@st.composite
def lengths_inside(draw):
    """Lengths of 1 to 4 sentences from 1 to N - 1, and the padded width N: neither empty nor full."""
    N = draw(sizes(2, 7))
    return torch.tensor(draw(st.lists(st.integers(1, N - 1), min_size=1, max_size=4))), N


long_ones = lengths_and_width(widths=st.one_of(sizes(1, 6), st.just(300)))


@exercise.check(points=1, hint="Print the mask for lengths [1, 3] and N = 4. How many entries of each row should be True, and where?",
                kept="counts the True entries of a row, as one does by eye on the printed mask; who slips at the lengths 0 and N alone keeps "
                     "this point")
@given(lengths_inside())
def allows_as_many_keys_as_tokens(student, case):
    """Sentence b allows exactly its first lengths[b] keys."""
    lengths, N = case
    mask = student(lengths, N)
    assert_true((mask.sum(-1)[:, 0] == lengths).all(), "a sentence does not allow exactly lengths[b] keys", what="the mask")
    assert_true((mask[..., :-1] | ~mask[..., 1:]).all(), "an allowed key comes after a forbidden one", what="the mask")


@exercise.check(points=1, examples=15, hint="In an attention under your mask, the padding at the end of a sentence must not matter. Does each "
                                            "sentence use its own length?",
                kept="shows the mask at work: that padding does not matter is seen in an attention, one sentence at a time")
@given(lengths_and_width(low=1), fillers(("normal",)))
def padding_never_matters(student, case, filler):
    """In an attention under the mask, padding can be replaced by noise in each sentence without changing any output."""
    lengths, N = case
    mask = student(lengths, N)
    assert_true(mask.any(-1).all(), "a sentence that is not empty allows no key", what="the mask")
    X, noise, queries = filler((len(lengths), N, 3), (len(lengths), N, 3), (len(lengths), 2, 3))
    inside = (torch.arange(N) < lengths[:, None])[..., None]
    before, after = (_attend(queries, tokens, mask) for tokens in (X, torch.where(inside, X, noise)))
    assert_close(after, before, what="the output after padding was replaced")


@exercise.check(points=1, hint="lengths may hold 0 and N. Is there a special case in your code that one of them falls through?")
@given(long_ones)
def empty_and_full_sentences(student, case):
    """A sentence of length 0 allows nothing, one of length N everything."""
    lengths, N = case
    lengths = torch.cat([lengths, torch.tensor([0, N])])
    mask = student(lengths, N)
    assert_true(not mask[-2].any(), "an empty sentence allows a key", what="the mask")
    assert_true(mask[-1].all(), "a full sentence forbids a key", what="the mask")


def _attend(Q, X, mask):
    scores = (Q @ X.mT).masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(torch.softmax(scores, -1)) @ X
