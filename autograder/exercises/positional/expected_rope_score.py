"""Public half of the exercise `expected_rope_score`."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.exercises.positional._speeds import bases, even_widths
from autograder.properties import assert_answered
from autograder.student import floats


def returns(offsets, D_k, L=10000.0):
    return {"the expected score": floats(*offsets.shape)}


exercise = Exercise(__name__, title="The expected score of RoPE", returns=returns)

forward_offsets = st.lists(st.integers(0, 5), min_size=1, max_size=6).map(lambda values: torch.tensor(values, dtype=torch.float64))
small_offsets = st.lists(st.integers(-5, 5), min_size=1, max_size=6).map(lambda values: torch.tensor(values, dtype=torch.float64))


FEW = torch.tensor([0.5, 3.0], dtype=torch.float64)


@exercise.check(points=1, examples=12, hint="At offset 0 every cosine is 1, and there are D_k/2 of them. What does your function give for "
                                            "offset 0 and D_k = 2?",
                kept="says what a score of equal tokens must do before a single speed is known: most at the offset 0, and the same both "
                     "ways")
@given(even_widths, st.integers(1, 30))
def the_score_is_largest_at_offset_zero(student, D_k, d):
    """The score is D_k at offset 0, smaller at offset 1, and the same for d and -d."""
    scores = student(torch.tensor([0.0, 1.0, d, -d], dtype=torch.float64), D_k)
    assert_close(scores[0], float(D_k), what="the score at offset 0")
    assert_true((scores[1:] < D_k - 1e-4).all() and (scores >= -D_k - 1e-4).all(),
                "the score is not below D_k at an offset other than 0", what="the score")
    assert_close(scores[2], scores[3], what="the score at the offset d, against that at -d,")


@exercise.check(points=1, examples=12, hint="With D_k = 2 there is one pair, and it turns by 1 radian a step: at offset 1 the score is 2 "
                                            "cos(1) = 1.081.",
                kept="one pair has no speed to get wrong: who fails here has the cosine or the factor wrong, and can see it with a "
                     "pocket calculator; who slips at negative offsets alone keeps this point")
@given(forward_offsets)
def one_pair_gives_a_cosine(student, offsets):
    """With D_k = 2 the score at the offset d, from 0 on, is 2 cos(d)."""
    assert_close(student(torch.arange(3, dtype=torch.float64), 2), torch.tensor([2 * math.cos(d) for d in range(3)], dtype=torch.float64),
                 what="the score with D_k = 2 at the offsets 0, 1, 2")
    assert_close(student(offsets, 2), 2 * offsets.cos(), what="the score with D_k = 2")


@exercise.check(points=1, examples=12, hint="With D_k = 4 and L = 100 the speeds are 1 and 1/10: at offset 10 the score is 2 cos(10) + 2 "
                                            "cos(1) = -0.598. Print the speeds that you use.")
@given(small_offsets, bases)
def two_pairs_and_the_base(student, offsets, L):
    """With D_k = 4 the score is 2 cos(d) + 2 cos(d / sqrt(L)), for the base that is given."""
    assert_close(student(offsets, 4), 2 * offsets.cos() + 2 * (offsets / 100).cos(), what="the score with D_k = 4 and L = 10000")
    assert_close(student(offsets, 4, L=L), 2 * offsets.cos() + 2 * (offsets / math.sqrt(L)).cos(), what="the score with D_k = 4")


TABLE = {0.0: 32.0, 10.0: 20.1, 100.0: 18.7, 1000.0: 8.2, 10000.0: 3.1}


@exercise.check(points=1, examples=3, hint="Compare with the table in the text, first at offset 0, then at offset 10. How many pairs are "
                                           "there for D_k = 32, and what is the slowest speed?")
@given(st.sampled_from([1.0, -1.0]))
def the_table_comes_out(student, sign):
    """With D_k = 32 the scores at the offsets 0, 10, 100, 1000, 10000 are 32.0, 20.1, 18.7, 8.2, 3.1."""
    scores = student(sign * torch.tensor(list(TABLE), dtype=torch.float64), 32)
    far = (scores - torch.tensor(list(TABLE.values()), dtype=torch.float64)).abs()
    assert_true((far < 0.051).all(), "the scores do not round to 32.0, 20.1, 18.7, 8.2, 3.1", what="the score with D_k = 32")


def _below_that_at_zero(student, scores, D_k):
    """Fails unless all scores lie below the score at offset 0."""
    at_zero = student(torch.zeros(1, dtype=torch.float64), D_k)
    assert_true((scores < at_zero - 1e-4).all(), "the score at another offset is not below that at offset 0", what="the score")


@exercise.check(points=0.5, examples=10, hint="Call your function on torch.tensor(1), on torch.arange(3), and on torch.zeros(2, 3). The "
                                              "sum runs over the pairs only, along an axis of its own.")
@given(st.sampled_from([(), (3,), (2, 3), (1, 2, 2)]), even_widths, st.integers(0, 2**16))
def offsets_have_any_shape_and_may_be_ints(student, shape, D_k, seed):
    """Offsets of any shape give scores of that shape, and ints give the same as floats."""
    offsets = torch.randint(1, 20, shape, generator=torch.Generator().manual_seed(seed))
    one_by_one = torch.stack([student(torch.tensor([float(d)], dtype=torch.float64), D_k)[0] for d in offsets.flatten()[:4]])
    _below_that_at_zero(student, one_by_one, D_k)
    scores = student(offsets.to(torch.float64), D_k)
    assert_close(scores.flatten()[:4], one_by_one, what="the score at several offsets at once, against one by one,")
    assert_close(student(offsets, D_k), scores, what="the score at offsets that are ints")


@exercise.check(points=0.5, examples=6, hint="If the offsets changed, which line writes into them? Anything else the checks above tell better.")
@given(small_offsets, even_widths)
def the_input_stays_as_it_was(student, offsets, D_k):
    """The offsets that were passed in are unchanged afterwards (and used)."""
    offsets = offsets + 0.5
    assert_close(student.arguments_after(offsets, D_k)[0], offsets, what="the tensor of offsets after the call")
    assert_answered(student, (FEW, 4), (FEW + 1, 4), offsets)
