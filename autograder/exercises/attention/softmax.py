"""Public half of the exercise `softmax`."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.properties import assert_answered, assert_attention_weights
from autograder.strategies import fillers, on_grid, sizes, tensors
from autograder.student import floats


def returns(Z, dim=-1):
    return {"softmax(Z)": floats(*Z.shape)}


exercise = Exercise(__name__, title="Softmax", returns=returns,
                    forbids=("torch.softmax", "torch.log_softmax", "torch.nn.functional.softmax",
                             "torch.nn.functional.log_softmax", "torch.nn.functional.softmin", "torch.nn.Softmax",
                             "torch.nn.LogSoftmax", "torch.Tensor.softmax", "torch.Tensor.log_softmax",
                             "torch.special.softmax", "torch.special.log_softmax", "scipy.special.softmax"))


FEW = torch.tensor([[0.0, 1.0], [2.0, 0.5]], dtype=torch.float64)


@st.composite
def _with_axis(draw):
    dims = draw(st.sampled_from([2, 3, 2, 3, 1]))  # along a single axis there is little to get wrong
    shape = tuple(draw(sizes(1, 4)) for _ in range(dims))
    return draw(fillers())(shape)[0], draw(st.integers(-dims, dims - 1))


with_axis = _with_axis()  # a tensor of one to three dimensions and one of its axes, counted from either end


@exercise.check(points=1, hint="Add up one row of your answer by hand. Which axis did you sum along, and is that axis kept "
                               "for the division?",
                kept="says in sums that can be done in the head what the axis is for; a right axis with a wrong function (powers of 2)"
                     " keeps this point")
@given(tensors())
def rows_sum_to_one(student, Z):
    """Without `dim`, the entries along the last axis are positive, sum to 1, and grow with the scores."""
    assert_attention_weights(student(Z), Z, what="softmax(Z)")


@exercise.check(points=1, hint="Call your function on torch.arange(6.).reshape(2, 3) with dim=0: each column should sum to 1. "
                               "Is `dim` used in every place that needs it?")
@given(with_axis)
def the_axis_is_the_one_asked_for(student, Z_dim):
    """With `dim`, the entries along that axis sum to 1, and only along that axis."""
    Z, dim = Z_dim
    moved = student(Z.movedim(dim, -1).contiguous(), -1)
    alpha = student(Z, dim)
    assert_attention_weights(alpha, Z, dim=dim, what="softmax(Z, dim)")
    assert_close(alpha.movedim(dim, -1), moved, what="softmax(Z, dim), with dim moved to the end,")


@exercise.check(points=1, hint="Work out softmax([0, ln 3]) on paper: the odds are 1 to 3. Where is the exponential?")
@given(tensors())
def weights_are_exponentials_over_their_sum(student, Z):
    """Each weight is the exponential of its score over the sum of the exponentials in its row."""
    exponentials = Z.exp()
    assert_close(student(Z), exponentials / exponentials.sum(-1, keepdim=True), what="softmax(Z)")


@exercise.check(points=1, examples=15, hint="Print exp(1000.). Subtracting the same number from a whole row changes nothing in the formula: "
                               "which number keeps every exponential in range, and for which rows?")
@given(tensors(low=2), st.sampled_from([(100.0, 0.0), (-9000.0, 5000.0), (9000.0, -5000.0), (-100.0, 2000.0), (9000.0, 0.0), (-9000.0, 0.0)]))
def a_shift_changes_nothing(student, Z, shift_lead):
    """Adding the same large number to all scores of a row changes nothing, however far they lie apart, whatever the other rows hold."""
    shift, lead = shift_lead
    Z = on_grid(Z)
    Z[..., 0, 0] += lead
    shifted = Z.clone()
    shifted[..., 0, :] += shift
    before = student(Z)
    assert_attention_weights(before, Z, what="softmax(Z)")
    assert_close(student(shifted), before, what="softmax(Z) after one row was shifted")


@exercise.check(points=1, examples=15, hint="What is exp(-inf)? Print your answer for [0., float('-inf')] and follow where a NaN first appears.")
@given(tensors(low=2), st.integers(0, 3))
def minus_infinity_gets_no_weight(student, Z, which):
    """A score of -inf gets exactly the weight 0 and leaves the others as if it were not there."""
    blocked = which % Z.shape[-1]
    Z_blocked = Z.clone()
    Z_blocked[..., blocked] = float("-inf")
    keep = [i for i in range(Z.shape[-1]) if i != blocked]
    without = student(Z[..., keep].contiguous())
    alpha = student(Z_blocked)
    assert_close(alpha[..., blocked], 0.0, what="the weight of a score of -inf")
    assert_true((alpha[..., blocked] <= 1e-15).all(), "the weight of a score of -inf is tiny, but not exactly 0", what="softmax(Z)")
    assert_attention_weights(alpha, Z_blocked, what="softmax(Z)")
    assert_close(alpha[..., keep], without, what="the weights of the other scores")


@exercise.check(points=0.5, examples=8, hint="If Z changed, which of your lines writes into it (an operation ending in _, `Z -= ...`, "
                                             "`Z[...] = ...`)? The caller still needs Z, and its -inf. Anything else the checks above tell better.")
@given(tensors(low=2))
def the_input_stays_as_it_was(student, Z):
    """The scores that were passed in are unchanged afterwards (and used), a -inf among them too."""
    blocked = Z.clone()
    blocked[..., -1] = float("-inf")
    for scores in (Z, blocked):
        assert_close(student.arguments_after(scores)[0], scores, what="Z after the call")
    assert_answered(student, (FEW,), (FEW.flip(-1),), Z)
