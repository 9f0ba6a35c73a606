"""Public half of the exercise `split_heads`."""

from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.strategies import fillers, sizes
from autograder.student import floats

BATCHES = st.sampled_from([(1,), (2,), (3,)])
OTHER_BATCHES = st.sampled_from([(), (2, 3), (1, 2)])


def returns(X, H):
    return {"the tensor of heads": floats(*X.shape[:-2], H, X.shape[-2], X.shape[-1] // H)}


exercise = Exercise(__name__, title="Splitting the features into heads", returns=returns)


@lru_cache(maxsize=None)
def features_and_heads(batch=BATCHES, *, low=1, most=4, narrow=1):
    """Draws X of ... x N x (H · width) and H; the width of a head, H and N are drawn apart."""
    return st.tuples(batch, sizes(1, most), sizes(low, most), sizes(narrow, most), fillers()).map(_fill)


def _fill(drawn):
    batch, N, H, width, filler = drawn
    return filler((*batch, N, H * width))[0], H


@exercise.check(points=1, examples=15, hint="Split torch.arange(12.).reshape(1, 2, 6) into 2 heads and print the result. Which numbers belong to "
                                            "token 0? Find out where they are now.",
                kept="heads in a wrong order keep this point: it asks only whose numbers they are, which a printed tensor shows")
@given(features_and_heads(narrow=2))
def a_token_keeps_its_own_numbers(student, case):
    """Row n of the heads, taken together, holds the numbers of token n and of no other."""
    X, H = case
    heads = student(X, H)
    own = heads.transpose(-3, -2).reshape(X.shape).sort(-1).values
    assert_close(own, X.sort(-1).values, what="the sorted list of a token's numbers")


@exercise.check(points=1, examples=15, hint="Split one token with the numbers 0 to 5 into 2 heads. The first head should hold 0, 1, 2. Which ones "
                                            "does yours hold?",
                kept="the convention itself, on plain batches; a function written for three dimensions keeps this point and loses that"
                     " of the leading ones")
@given(features_and_heads())
def a_head_holds_neighbouring_columns(student, case):
    """Head h holds the columns h·D/H to (h+1)·D/H - 1 of X, in their order."""
    X, H = case
    heads = student(X, H)
    for h, columns in enumerate(X.split(X.shape[-1] // H, -1)):
        assert_close(heads[..., h, :, :], columns, what=f"head {h}")


@exercise.check(points=1, examples=15, hint="Call your function on torch.arange(12.).reshape(2, 6), and on a tensor of four dimensions. Does a line "
                                            "of it count on exactly three dimensions, or count axes from the front?")
@given(features_and_heads(OTHER_BATCHES, most=3))
def any_leading_dimensions_will_do(student, case):
    """A single sentence (no batch dimension) and a batch with two dimensions are split in the same way."""
    X, H = case
    heads = student(X, H)
    for h, columns in enumerate(X.split(X.shape[-1] // H, -1)):
        assert_close(heads[..., h, :, :], columns, what=f"head {h}")


@st.composite
def heads_that_do_not_fit(draw):
    """X of B x N x D, a number of heads that divides D and one that does not."""
    H, width, too_many = draw(sizes(2, 4)), draw(sizes(1, 3)), draw(st.booleans())
    X, = draw(fillers())((2, 2, H * width + (0 if too_many else draw(sizes(1, H - 1)))))
    D = X.shape[-1]
    return X, 1, D + H if too_many else H


@exercise.check(points=0.5, examples=12, hint="Five features do not make two heads of equal width. What does your function do with them? The text "
                                              "asks for a ValueError.")
@given(heads_that_do_not_fit())
def a_width_that_does_not_fit_is_refused(student, case):
    """A number of heads that does not divide D is refused, and one that does is not."""
    X, fits, does_not = case
    assert_close(student(X, fits)[..., 0, :, :], X, what="the only head")
    assert_true(student.refuses(X, does_not), "a number of heads that does not divide D is accepted", what="the tensor of heads")


@exercise.check(points=0.5, examples=8, hint="If the message says that X was changed, which line writes into it, or changes its shape? If not, the checks above say more.")
@given(features_and_heads(narrow=2))
def the_input_stays_as_it_was(student, case):
    """X is unchanged afterwards (and used)."""
    X, H = case
    heads = student(X, H)
    assert_close(heads.sum((-3, -1)), X.sum(-1), what="the sum over the numbers of a token")
    assert_close(student.arguments_after(X, H)[0], X, what="X after the call")
