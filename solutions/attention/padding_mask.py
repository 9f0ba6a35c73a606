"""Staff half of the exercise `padding_mask`: reference, alternates, misconceptions, hidden checks."""

import torch
from hypothesis import given

from autograder.compare import assert_close, assert_equal, assert_true
from autograder.exercises.attention.padding_mask import (allows_as_many_keys_as_tokens, empty_and_full_sentences, exercise,
                                                         lengths_and_width, long_ones, padding_never_matters)


@exercise.solution
def padding_mask(lengths, N):
    """The padding mask: sentence b may be attended to at its first lengths[b] tokens only.

    lengths: tensor of B ints, each from 0 to N. N: the padded length, an int.
    Returns a B x 1 x N tensor of bools, True where attending is allowed; it broadcasts over the queries.
    """
    return (torch.arange(N) < lengths[:, None])[:, None, :]


@exercise.hidden_check(points=1, hint="Work out the mask for lengths [0, 2] and N = 3 by hand.",
                       kept="the only one that compares entry by entry over all lengths, 0 and N among them, without an attention in "
                            "between")
@given(long_ones)
def agrees_with_the_reference(student, case):
    """Agrees with the reference for every length from 0 to N."""
    assert_equal(student(*case), padding_mask(*case), what="the mask")


@exercise.hidden_check(points=0.5, examples=8, hint="Call it twice on the same lengths: is the second mask the same? If lengths changed, which "
                                                    "line writes into them? Anything else the other checks tell better.")
@given(lengths_and_width())
def lengths_stay_as_they_were(student, case):
    """The function leaves its lengths alone (and uses them)."""
    assert_close(student.arguments_after(*case)[0], case[0].double(), what="lengths after the call")
    mask, with_another, other = (student(torch.tensor(lengths), 40) for lengths in ([3, 1], [3, 1, 2], [20, 9]))
    assert_equal(with_another[:2], mask, what="the mask of the lengths 3 and 1, with a third one behind them,")
    assert_true((mask != other).any(), "the mask does not depend on the lengths", what="the mask")


@exercise.alternate
def with_loops(lengths, N):
    mask = torch.zeros(len(lengths), 1, N, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        mask[b, :, :length] = True
    return mask


@exercise.alternate
def zeros_and_ones(lengths, N):
    return torch.stack([torch.cat([torch.ones(int(n)), torch.zeros(N - int(n))]) for n in lengths]).unsqueeze(1)


@exercise.alternate
def with_cumsum(lengths, N):
    return (torch.ones(len(lengths), 1, N).cumsum(-1) <= lengths.view(-1, 1, 1))


@exercise.misconception(caught_by=allows_as_many_keys_as_tokens,
                        tell="a mask in which True marks the padding "
                             "(legitimate elsewhere, as in torch's key_padding_mask; here True means that attending is allowed)")
def true_marks_padding(lengths, N):
    return (torch.arange(N) >= lengths[:, None])[:, None, :]


@exercise.misconception(caught_by=allows_as_many_keys_as_tokens, tell="one key too many for each sentence (<= instead of <)")
def one_too_many(lengths, N):
    return (torch.arange(N) <= lengths[:, None])[:, None, :]


@exercise.misconception(caught_by=allows_as_many_keys_as_tokens, tell="one key too few for each sentence")
def one_too_few(lengths, N):
    return (torch.arange(N) < lengths[:, None] - 1)[:, None, :]


@exercise.misconception(caught_by=allows_as_many_keys_as_tokens, tell="the first sentence's length used for all of them")
def first_length_for_all(lengths, N):
    return (torch.arange(N) < lengths[0]).expand(len(lengths), 1, N).contiguous()


@exercise.misconception(caught_by=allows_as_many_keys_as_tokens, tell="the longest sentence's length used for all of them")
def longest_for_all(lengths, N):
    return (torch.arange(N) < lengths.max()).expand(len(lengths), 1, N).contiguous()


@exercise.misconception(caught_by=allows_as_many_keys_as_tokens, tell="padding at the front of each sentence instead of at its end")
def padding_in_front(lengths, N):
    return (torch.arange(N) >= N - lengths[:, None])[:, None, :]


@exercise.misconception(caught_by=padding_never_matters, tell="a mask that allows everything")
def all_true(lengths, N):
    return torch.ones(len(lengths), 1, N, dtype=torch.bool)


@exercise.misconception(caught_by=allows_as_many_keys_as_tokens, tell="a B x N mask without the axis of the queries")
def no_query_axis(lengths, N):
    return torch.arange(N) < lengths[:, None]


@exercise.misconception(caught_by=allows_as_many_keys_as_tokens, tell="a B x N x 1 mask: the axis for the queries stands last")
def axis_in_the_wrong_place(lengths, N):
    return (torch.arange(N) < lengths[:, None])[:, :, None]


@exercise.misconception(caught_by=allows_as_many_keys_as_tokens, tell="a B x N x N mask, written out for every query")
def square(lengths, N):
    return (torch.arange(N) < lengths[:, None])[:, None, :].expand(len(lengths), N, N).contiguous()


@exercise.misconception(caught_by=empty_and_full_sentences, tell="an empty sentence treated as if it had one token")
def empty_allows_one(lengths, N):
    return (torch.arange(N) < lengths.clamp(min=1)[:, None])[:, None, :]


@exercise.misconception(caught_by=empty_and_full_sentences, tell="an empty sentence that may see everything (0 taken for no padding)")
def empty_allows_all(lengths, N):
    mask = (torch.arange(N) < lengths[:, None])[:, None, :]
    return mask | (lengths == 0)[:, None, None]


@exercise.misconception(caught_by=lengths_stay_as_they_were, tell="the right mask from lengths that are counted down in place")
def counts_down_in_place(lengths, N):
    lengths -= 1
    return (torch.arange(N) <= lengths[:, None])[:, None, :]


@exercise.misconception(caught_by=empty_and_full_sentences, tell="lengths in a type of 8 bits, which cannot hold long sentences")
def eight_bits(lengths, N):
    return (torch.arange(N) < lengths.to(torch.int8)[:, None])[:, None, :]
