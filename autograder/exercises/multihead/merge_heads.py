"""Public half of the exercise `merge_heads`."""

from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercise import Exercise
from autograder.exercises.multihead.split_heads import BATCHES, OTHER_BATCHES
from autograder.strategies import fillers, sizes
from autograder.student import floats


def returns(X):
    return {"the merged tensor": floats(*X.shape[:-3], X.shape[-2], X.shape[-3] * X.shape[-1])}


exercise = Exercise(__name__, title="Merging the heads again", returns=returns)


@lru_cache(maxsize=None)
def heads(batch=BATCHES, *, high=4, most=4):
    """Draws ... x H x N x width; all three are drawn apart, H up to `high`."""
    return st.tuples(batch, sizes(1, high), sizes(1, most), sizes(1, most), fillers()).map(lambda drawn: drawn[4]((*drawn[0], *drawn[1:4]))[0])


@exercise.check(points=1, examples=15, hint="Merge torch.arange(8.).reshape(1, 2, 2, 2) and print the result. Which four numbers belong to token 0 "
                                            "of the two heads? Are they all in row 0 now?",
                kept="heads in a wrong order keep this point: it asks only whose numbers they are, which a printed tensor shows")
@given(heads())
def a_token_keeps_its_own_numbers(student, X):
    """Row n of the result holds the numbers that the heads have for token n, and no others."""
    merged = student(X)
    assert_close(merged.sort(-1).values, X.transpose(-3, -2).flatten(-2).sort(-1).values, what="the sorted list of a token's numbers")


@exercise.check(points=1, examples=15, hint="Merge two heads of one token, [[0, 1]] and [[2, 3]]: the features should read 0, 1, 2, 3. How do yours "
                                            "read?",
                kept="the convention itself, on plain batches; a function written for four dimensions keeps this point and loses that "
                     "of the leading ones")
@given(heads())
def the_heads_stand_side_by_side(student, X):
    """The columns h·D/H to (h+1)·D/H - 1 of the result are head h."""
    merged, width = student(X), X.shape[-1]
    for h in range(X.shape[-3]):
        assert_close(merged[..., h * width:(h + 1) * width], X[..., h, :, :], what=f"the stretch of columns that belongs to head {h}")


@exercise.check(points=1, examples=15, hint="Call your function on a tensor H x N x D/H and on one of five dimensions. Does a line of it count on "
                                            "exactly four dimensions, or count axes from the front?")
@given(heads(OTHER_BATCHES, high=3, most=3))
def any_leading_dimensions_will_do(student, X):
    """No batch dimension, or two of them, make no difference."""
    merged, width = student(X), X.shape[-1]
    for h in range(X.shape[-3]):
        assert_close(merged[..., h * width:(h + 1) * width], X[..., h, :, :], what=f"the stretch of columns that belongs to head {h}")


@exercise.check(points=0.5, examples=10, hint="With a single head there is nothing to merge: which axis has to go, and does anything else move?",
                kept="the smallest case there is: with one head only an axis has to go, and who shuffles or reverses several heads "
                     "keeps this point")
@given(heads(high=1))
def one_head_is_all_there_is(student, X):
    """With H = 1 only the axis of the heads disappears."""
    assert_close(student(X), X[..., 0, :, :], what="the merged tensor")


@exercise.check(points=0.5, examples=8, hint="If the message says that X was changed, which line writes into it, or changes its shape? If not, the checks above say more.")
@given(heads())
def the_input_stays_as_it_was(student, X):
    """The heads that were passed in are unchanged afterwards (and used)."""
    assert_close(student(X).sum(-1), X.sum((-3, -1)), what="the sum over the numbers of a token")
    assert_close(student.arguments_after(X)[0], X, what="X after the call")
