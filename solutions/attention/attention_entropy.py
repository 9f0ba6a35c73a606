"""Staff half of the exercise `attention_entropy`: reference, alternates, misconceptions, hidden checks."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.attention.attention_entropy import (a_single_weight_gives_zero, exercise,
                                                              mixing_two_rows_that_do_not_overlap,
                                                              uniform_weights_give_ln_N, weights)
from autograder.properties import assert_answered
from autograder.strategies import distributions, fillers


@exercise.solution
def attention_entropy(alpha):
    """The entropy of attention weights in nats, -sum_m alpha_m ln alpha_m over the last axis, with 0 ln 0 = 0.

    alpha: float64 tensor ... x N, each row summing to 1; entries may be exactly 0.
    Returns a tensor of the leading shape ... .
    """
    return -torch.special.xlogy(alpha, alpha).sum(dim=-1)


QUARTERS = torch.tensor([[0.5, 0.25, 0.25, 0.0]], dtype=torch.float64)


def one_beside_many(tiny):
    """A row of 201 weights: one large, the others tiny."""
    return torch.cat([torch.tensor([1 - 200 * tiny], dtype=torch.float64), torch.full((200,), tiny, dtype=torch.float64)])


@exercise.hidden_check(points=1, hint="Try a row with zeros beside ordinary weights, (0, 1/4, 3/4), alone and in a batch. Then one large "
                                "weight beside two hundred of a millionth: each tells little, all of them something.",
                       kept="the only one that meets zeros beside ordinary weights in one row, alone, in a batch and in square maps")
@given(st.one_of(weights(low=1, zeros=True), st.sampled_from([5e-5, 1e-6]).map(one_beside_many)))
def agrees_with_the_reference(student, alpha):
    """Agrees with the reference, weights of exactly 0, many tiny ones and batches included."""
    assert_close(student(alpha), attention_entropy(alpha), what="the entropy")


@exercise.hidden_check(points=0.5, examples=12, hint="Call it twice on the same tensor: is the second answer the same? If alpha changed, which "
                                                     "line writes into it? Anything else the other checks tell better.")
@given(distributions(zeros=True))
def the_input_stays_as_it_was(student, alpha):
    """The function leaves its weights alone (and uses them)."""
    assert_close(student.arguments_after(alpha)[0], alpha, what="alpha after the call")
    assert_answered(student, (QUARTERS,), (torch.full_like(QUARTERS, 0.25),), alpha)


@exercise.hidden_check(points=0.5, examples=6, hint="Whoever punishes attention that is spread too wide trains through the entropy. Does "
                                                    "something inside cut the gradient (detach, no_grad, .data), in one factor only?")
@given(distributions(low=2), fillers(("normal",)))
def the_gradient_is_right(student, alpha, filler):
    """Where a gradient flows, it says how the entropy changes with weights above 0 that go on summing to 1."""
    cotangent, = filler(tuple(alpha.shape[:-1]))
    assert_close(student(alpha), attention_entropy(alpha), what="the entropy")
    got = student.vjp((cotangent,), alpha)
    if got is not None:
        mine, theirs = (one - one.mean(-1, keepdim=True) for one in (got[0], attention_entropy.vjp((cotangent,), alpha)[0]))
        assert_close(mine, theirs, what="the gradient with respect to alpha, minus its mean,")


@exercise.alternate
def with_where(alpha):
    safe = torch.where(alpha > 0, alpha, torch.ones_like(alpha))
    return -(alpha * safe.log()).sum(-1)


@exercise.alternate
def with_entr(alpha):
    return torch.special.entr(alpha).sum(-1)


@exercise.alternate
def a_tiny_number_inside(alpha):
    return -(alpha * torch.log(alpha + 1e-12)).sum(-1)


@exercise.alternate
def nan_to_num(alpha):
    return -torch.nan_to_num(alpha * alpha.log()).sum(-1)


@exercise.misconception(caught_by=a_single_weight_gives_zero, tell="0 ln 0 left to floating point, which gives NaN")
def nan_at_zero(alpha):
    return -(alpha * alpha.log()).sum(-1)


@exercise.misconception(caught_by=uniform_weights_give_ln_N, tell="bits (base 2, legitimate elsewhere) instead of nats")
def in_bits(alpha):
    return -torch.special.xlogy(alpha, alpha).sum(-1) / math.log(2)


@exercise.misconception(caught_by=uniform_weights_give_ln_N, tell="base 10 instead of the natural logarithm")
def base_ten(alpha):
    return -torch.special.xlogy(alpha, alpha).sum(-1) / math.log(10)


@exercise.misconception(caught_by=uniform_weights_give_ln_N, tell="a missing minus sign")
def no_minus(alpha):
    return torch.special.xlogy(alpha, alpha).sum(-1)


@exercise.misconception(caught_by=uniform_weights_give_ln_N, tell="the mean over the keys instead of the sum")
def mean_for_sum(alpha):
    return -torch.special.xlogy(alpha, alpha).mean(-1)


@exercise.misconception(caught_by=uniform_weights_give_ln_N, tell="an entropy divided by ln N, between 0 and 1")
def normalised(alpha):
    return -torch.special.xlogy(alpha, alpha).sum(-1) / max(math.log(alpha.shape[-1]), 1e-12)


@exercise.misconception(caught_by=uniform_weights_give_ln_N, tell="one number for everything: the sum runs over all axes")
def summed_over_everything(alpha):
    return -torch.special.xlogy(alpha, alpha).sum()


@exercise.misconception(caught_by=uniform_weights_give_ln_N, tell="the axis of the keys kept as a last dimension of 1")
def axis_kept(alpha):
    return -torch.special.xlogy(alpha, alpha).sum(-1, keepdim=True)


@exercise.misconception(caught_by=agrees_with_the_reference, tell="a sum over the second last axis, the queries")
def wrong_axis(alpha):
    H = -torch.special.xlogy(alpha, alpha)
    return H.sum(-1) if alpha.dim() == 1 or alpha.shape[-1] != alpha.shape[-2] else H.sum(-2)


@exercise.misconception(caught_by=uniform_weights_give_ln_N, tell="the sum of logarithms, not weighted by alpha")
def not_weighted(alpha):
    return -alpha.clamp(min=1e-12).log().sum(-1)


@exercise.misconception(caught_by=agrees_with_the_reference, tell="a number inside the logarithm that is too large (1e-3): the entropy is off")
def large_number_inside(alpha):
    return -(alpha * torch.log(alpha + 1e-3)).sum(-1)


@exercise.misconception(caught_by=mixing_two_rows_that_do_not_overlap, tell="one minus the sum of squares (the Gini index)")
def gini(alpha):
    return 1 - (alpha ** 2).sum(-1)


@exercise.misconception(caught_by=a_single_weight_gives_zero, tell="a softmax taken again of weights that already are one")
def softmax_again(alpha):
    alpha = torch.softmax(alpha, -1)
    return -torch.special.xlogy(alpha, alpha).sum(-1)


@exercise.misconception(caught_by=the_input_stays_as_it_was, tell="the right entropy, after the zeros of alpha were overwritten with ones")
def zeros_overwritten(alpha):
    alpha[alpha == 0] = 1.0
    return -(alpha * alpha.log()).sum(-1)


@exercise.misconception(caught_by=agrees_with_the_reference, tell="an entropy that leaves out weights below 1e-4, however many there are")
def tiny_weights_left_out(alpha):
    return -torch.where(alpha > 1e-4, torch.special.xlogy(alpha, alpha), 0.0).sum(-1)


@exercise.misconception(caught_by=the_gradient_is_right, tell="weights outside the logarithm through which no gradient flows")
def weights_detached(alpha):
    return -torch.special.xlogy(alpha.detach(), alpha).sum(-1)
