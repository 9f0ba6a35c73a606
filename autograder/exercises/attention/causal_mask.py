"""Public half of the exercise `causal_mask`."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.strategies import fillers, sizes
from autograder.student import booleans


def returns(N):
    return {"the mask": booleans(N, N)}


exercise = Exercise(__name__, title="The causal mask", returns=returns)


@exercise.check(points=1, hint="Print your mask for N = 3. Rows are queries, columns are keys: which keys may the first token see, and which the last?")
@given(st.one_of(sizes(1, 8), st.sampled_from([13, 33, 130])))
def a_token_sees_itself_and_the_past(student, N):
    """Row n is True for the keys 0 to n, the token itself included."""
    mask = student(N)
    assert_true(mask.diagonal().all(), "a token may not see itself (the diagonal must be True)", what="the mask")
    assert_true((mask.sum(-1) == torch.arange(1, N + 1)).all(), "row n does not allow exactly n + 1 keys", what="the mask")


@exercise.check(points=1, examples=15, hint="Use your mask in an attention on paper with N = 2: may the first token's output depend on the second token?",
                kept="shows the mask at work: what it is for is seen in an attention, where the first check only counts entries")
@given(sizes(2, 6), st.integers(0, 4), fillers(("normal",)))
def the_future_changes_nothing(student, N, n, filler):
    """In an attention under the mask, tokens after n can be replaced by noise without changing the outputs up to n."""
    n = n % (N - 1)
    X, noise = filler((N, 3), (N, 3))
    mask = student(N)
    assert_true(mask[n].any(), "a token may attend to nothing at all", what="the mask")
    X_new = torch.cat([X[:n + 1], noise[n + 1:]])
    before, after = (_attend(tokens, mask)[:n + 1] for tokens in (X, X_new))
    assert_close(after, before, what=f"the output of the tokens up to {n} after later tokens were replaced")


def _attend(X, mask):
    scores = (X @ X.mT).masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(torch.softmax(scores, -1)) @ X
