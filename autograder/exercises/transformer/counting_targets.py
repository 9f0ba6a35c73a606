"""Public half of the exercise `counting_targets`."""

from collections import Counter

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal, assert_true
from autograder.exercise import Exercise
from autograder.strategies import leading, sizes
from autograder.student import integers


def returns(x, V):
    return {"the tensor of targets": integers(*x.shape)}


exercise = Exercise(__name__, title="The counting task", returns=returns)


def _fill(drawn):
    batch, N, V, used, seed = drawn
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, min(used, V), (*batch, N), generator=generator), V


# few different tokens, so that some occur often; in the first there are fewer tokens than classes, so no count reaches the cap
roomy = st.tuples(leading(), sizes(1, 6), sizes(7, 9), sizes(1, 4), st.integers(0, 2**16)).map(_fill)
crowded = st.tuples(leading(), sizes(4, 8), sizes(2, 4), sizes(1, 4), st.integers(0, 2**16)).map(_fill)


def _rows(x):
    return x.reshape(-1, x.shape[-1]).tolist()


@exercise.check(points=1,
                hint="Count by hand for [3, 1, 3, 3]: how many OTHER tokens are equal to the first one? Leading dimensions are sequences "
                     "of their own.",
                kept="the count with room to spare: who only forgot the cap keeps these points")
@given(roomy)
def counts_the_other_equal_tokens(student, case):
    """Where no count reaches V - 1, each target is the number of other tokens in its sequence that equal its token."""
    x, V = case
    targets = student(x, V)
    counted = [[Counter(row)[token] for token in row] for row in _rows(x)]
    assert_equal(targets + 1, torch.tensor(counted).reshape(x.shape), what="a target plus one, against the number of equal tokens")


@exercise.check(points=1,
                hint="There are V classes, 0 to V - 1. Which class does a token get in [0, 0, 0, 0, 0] with V = 3, and does a token that "
                     "is alone still get 0?",
                kept="pays for the cap alone, in sequences with more equal tokens than classes")
@given(crowded)
def never_more_than_V_minus_1(student, case):
    """A larger count than V - 1 becomes V - 1, and smaller ones stay what they are."""
    x, V = case
    targets = student(x, V)
    for row, got in zip(_rows(x), _rows(targets)):
        assert_true(all(0 <= value < V for value in got), "a target is none of the classes 0 to V - 1", what="the tensor of targets")
        for token, times in Counter(row).items():
            values = {value for other, value in zip(row, got) if other == token}
            assert_true(len(values) == 1, "equal tokens of a sequence have different targets", what="the tensor of targets")
            capped = values.pop()
            assert_true(capped == times - 1 if times <= V else capped == V - 1, "a target is not its count, or V - 1 where the count is larger",
                        what="the tensor of targets")


@exercise.check(points=0.5, examples=12,
                hint="The places of the tokens play no part in what is counted. Does anything in your code look only to the left, or only "
                     "at neighbours?",
                kept="asks for no count at all, only that a sequence read backwards gives its targets backwards; its hint finds running "
                     "counts")
@given(roomy)
def the_order_plays_no_part(student, case):
    """If a sequence is read backwards, its targets are read backwards too."""
    x, V = case
    assert_equal(student(torch.zeros_like(x), V), torch.full_like(x, x.shape[-1] - 1), what="the tensor of targets of a sequence of equal tokens")
    targets = student(x, V)
    assert_equal(student(x.flip(-1), V), targets.flip(-1), what="the tensor of targets of the sequence read backwards")


@exercise.check(points=0.5, examples=12, hint="If the message says that x was changed, which line writes into it? If not, the checks above say more.")
@given(crowded)
def the_tokens_stay_as_they_were(student, case):
    """The tokens that were passed in are unchanged afterwards."""
    x, V = case
    assert_equal(student(torch.zeros_like(x), V), torch.full_like(x, min(x.shape[-1], V) - 1), what="the tensor of targets of a sequence of equal tokens")
    assert_equal(student.arguments_after(x, V)[0], x, what="x after the call")
