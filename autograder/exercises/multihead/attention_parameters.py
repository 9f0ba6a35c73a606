"""Public half of the exercise `attention_parameters`."""

from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal, assert_true
from autograder.exercise import Exercise
from autograder.strategies import sizes
from autograder.student import integers


def returns(D, H, bias=True):
    return {"the count": integers()}


exercise = Exercise(__name__, title="How many parameters attention has", returns=returns)


@lru_cache(maxsize=None)
def widths(*, most=8):
    """Draws (D, H) with H a divisor of D."""
    return st.tuples(sizes(1, most), sizes(1, most)).map(lambda drawn: (drawn[0] * drawn[1], drawn[0]))


@exercise.check(points=1, examples=12, hint="For D = 1 and H = 1 every matrix is a single number. How many matrices are there? Count the one after "
                                            "the heads as well.")
@given(widths())
def weights_alone(student, case):
    """Without biases, four matrices of D x D are counted: queries, keys, values and output."""
    D, H = case
    assert_equal(student(D, H, bias=False), torch.tensor(4 * D * D), what="the count without biases")


@exercise.check(points=1, examples=12, hint="Subtract the count without biases from the one with them. Each matrix has one bias for each number "
                                            "that it puts out.")
@given(widths())
def biases_add_their_own(student, case):
    """Each of the four maps has a bias of D numbers, and they are counted unless bias=False."""
    D, H = case
    without = student(D, H, bias=False)
    assert_true(without > 0, "no parameters are counted at all", what="the count")
    assert_equal(student(D, H, bias=True) - without, torch.tensor(4 * D), what="the number of biases")
    assert_equal(student(D, H) - without, torch.tensor(4 * D), what="the number of biases without the argument `bias`")


@exercise.check(points=0.5, examples=12, hint="More heads are narrower heads. Write down the shape of W_q[h] for D = 4 and H = 1, 2, 4, and add up "
                                              "the entries of all of them.",
                kept="the statement of the lesson that surprises most; it compares the answer with itself, so that a forgotten output "
                     "matrix keeps this point")
@given(widths())
def the_number_of_heads_does_not_matter(student, case):
    """The count is the same for every number of heads that divides D, and quadruples when D doubles."""
    D, H = case
    single = student(D, 1, bias=False)
    assert_true(single > 0, "no parameters are counted at all", what="the count")
    assert_equal(student(2 * D, 2, bias=False), 4 * single, what="the count after D was doubled")
    assert_equal(student(D, H, bias=False), single, what="the count with H heads, against one head,")


@st.composite
def heads_that_do_not_fit(draw):
    """D, a number of heads that divides it and one that does not."""
    H = draw(sizes(2, 6))
    D = H * draw(sizes(1, 4))
    return (D, H, D + 1) if draw(st.booleans()) else (D + 1, 1, H)


@exercise.check(points=0.5, examples=10, hint="Three heads in four features: the layer does not exist. What does your function answer? The text "
                                              "asks for a ValueError.")
@given(heads_that_do_not_fit())
def heads_that_do_not_fit_are_refused(student, case):
    """A number of heads that does not divide D is refused, and one that does is not."""
    D, fits, does_not = case
    assert_true(student(D, fits) > D * D, "the count is too small for an attention of that width", what="the count")
    assert_true(student.refuses(D, does_not), "a number of heads that does not divide D is accepted", what="the count")
