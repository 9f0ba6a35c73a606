"""Public half of the exercise `shift_right`."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal, assert_true
from autograder.exercise import Exercise
from autograder.strategies import sizes
from autograder.student import integers


def returns(targets, sos):
    return {"the decoder's input": integers(*targets.shape)}


exercise = Exercise(__name__, title="Teacher forcing", returns=returns)


def _fill(drawn):
    B, N, seed, sos = drawn
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 9, (B, N), generator=generator), sos


# a batch of target sequences, all of one length, and a start token, which may be any id
batches = st.tuples(sizes(1, 3), sizes(1, 5), st.integers(0, 2**16), st.integers(0, 12)).map(_fill)
several = st.tuples(sizes(1, 3), sizes(2, 5), st.integers(0, 2**16), st.integers(0, 12)).map(_fill)


@exercise.check(points=1,
                hint="Before the first token nothing has been said yet. Print your answer for [[5, 6, 7], [8, 9, 5]] and sos = 1: what "
                     "stands in front of each row, and what else is in it?",
                kept="looks at what is in a row before it looks at the order, so that its hint can name the one thing that is missing")
@given(batches)
def every_row_begins_with_sos(student, case):
    """Every row is sos, followed by the tokens of its own targets, the last one left out."""
    targets, sos = case
    shifted = student(targets, sos)
    assert_equal(shifted[:, 0], torch.full_like(targets[:, 0], sos), what="the first column")
    # the order is another check's business
    kept = targets[:, :-1].sort(-1).values
    assert_true((shifted[:, 1:].sort(-1).values == kept).all(), "after the first place, a row does not hold all but the last of its targets",
                what="the decoder's input")


@exercise.check(points=1,
                hint="The target at place n is what the decoder must say there. What should it have just heard: the target at which place?")
@given(several)
def each_place_hears_the_target_before_it(student, case):
    """The decoder's input at a place is sos or the target one place earlier."""
    targets, sos = case
    shifted = student(targets, sos)
    assert_equal(shifted[:, :1], torch.full_like(targets[:, :1], sos), what="the first place")
    assert_equal(shifted[:, 1:], targets[:, :-1], what="what the later places hear")


@exercise.check(points=0.5, examples=12, hint="If the message says that targets was changed, which line writes into it? The loss still needs it as it was. If not, the checks "
                     "above say more.")
@given(several)
def the_targets_stay_as_they_were(student, case):
    """The targets that were passed in are unchanged afterwards."""
    targets, sos = case
    shifted = student(targets, sos)
    assert_equal(shifted[:, 0], torch.full_like(targets[:, 0], sos), what="the first column")
    assert_equal(student.arguments_after(targets, sos)[0], targets, what="the tensor targets after the call")
