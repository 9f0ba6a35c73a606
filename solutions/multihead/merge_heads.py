"""Staff half of the exercise `merge_heads`: reference, alternates, misconceptions, hidden checks."""

import torch
from hypothesis import given

from autograder.compare import assert_close
from autograder.exercises.multihead.merge_heads import (a_token_keeps_its_own_numbers, any_leading_dimensions_will_do, exercise, heads,
                                                        one_head_is_all_there_is, the_heads_stand_side_by_side, the_input_stays_as_it_was)
from autograder.strategies import fillers, leading


@exercise.solution
def merge_heads(X):
    """Put the heads of every token side by side again, head 0 first: the inverse of split_heads.

    X: float64 tensor ... x H x N x D/H, with any number of leading batch dimensions.
    Returns a tensor ... x N x D, whose columns h D/H to (h + 1) D/H - 1 are head h.
    """
    H, N, width = X.shape[-3:]
    return X.transpose(-3, -2).reshape(*X.shape[:-3], N, H * width)


@exercise.hidden_check(points=1.5, examples=20, hint="Try numbers of heads, tokens and features a head that all differ. Which axes must stand next "
                                                     "to each other before they become one?",
                       kept="the only one with five and six heads, tokens and features a head, where a reshape that fits small sizes "
                            "by chance no longer does")
@given(heads(leading(), high=6, most=6), fillers(("normal",)))
def merges_as_the_reference_does(student, X, filler):
    """Merges as the reference does, with up to six heads, tokens and features a head; where gradients flow, they come back the same way."""
    assert_close(student(X), merge_heads(X), what="the merged tensor")
    cotangent, = filler((*X.shape[:-3], X.shape[-2], X.shape[-3] * X.shape[-1]))
    got = student.vjp((cotangent,), X)
    if got is not None:
        assert_close(got[0], merge_heads.vjp((cotangent,), X)[0], what="the gradient with respect to X")


@exercise.alternate
def concatenated(X):
    return torch.cat([X[..., h, :, :] for h in range(X.shape[-3])], -1)


@exercise.alternate
def unbound(X):
    return torch.cat(X.unbind(-3), dim=-1).contiguous()


@exercise.alternate
def with_numpy(X):
    x = X.detach().numpy().swapaxes(-3, -2)
    return torch.from_numpy(x.reshape(*x.shape[:-2], -1).copy())


@exercise.alternate
def in_single_precision(X):
    merged = torch.zeros(*X.shape[:-3], X.shape[-2], X.shape[-3] * X.shape[-1])
    for h in range(X.shape[-3]):
        merged[..., h * X.shape[-1]:(h + 1) * X.shape[-1]] = X[..., h, :, :]
    return merged


@exercise.alternate
def by_batched_selection(X):
    H, N, w = X.shape[-3:]
    places = torch.eye(H * w, dtype=X.dtype).reshape(H, w, H * w)
    return (X @ places).sum(-3)


def _merge(X):
    return X.transpose(-3, -2).flatten(-2)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(a_token_keeps_its_own_numbers, "one reshape without swapping the axes back: a token ends up with pieces of other tokens")
def reshaped_without_swapping(X):
    H, N, width = X.shape[-3:]
    return X.reshape(*X.shape[:-3], N, H * width)


@_wrong(the_heads_stand_side_by_side, "heads shuffled like cards: feature 0 of every head first, then feature 1")
def features_before_heads(X):
    return X.movedim(-3, -1).flatten(-2)


@_wrong(the_heads_stand_side_by_side, "heads side by side in reverse order")
def heads_reversed(X):
    return _merge(X.flip(-3))


@_wrong(the_heads_stand_side_by_side, "heads rotated by one: the last one first")
def heads_rotated(X):
    return _merge(X.roll(1, -3))


@_wrong(a_token_keeps_its_own_numbers, "the mean of the heads, repeated, where they should stand side by side")
def mean_of_the_heads(X):
    return _merge(X.mean(-3, keepdim=True).expand(X.shape))


@_wrong(a_token_keeps_its_own_numbers, "the sum of the heads, of width D/H, where they should stand side by side")
def sum_of_the_heads(X):
    return X.sum(-3)


@_wrong(a_token_keeps_its_own_numbers, "the first head only, repeated")
def first_head_for_all(X):
    return _merge(X[..., :1, :, :].expand(X.shape))


@_wrong(a_token_keeps_its_own_numbers, "heads one below the other (H·N tokens) in place of side by side")
def one_below_the_other(X):
    return X.flatten(-3, -2)


@_wrong(a_token_keeps_its_own_numbers, "axes swapped, but the last two not joined: N x H x D/H comes out")
def not_joined(X):
    return X.transpose(-3, -2)


@_wrong(a_token_keeps_its_own_numbers, "tokens and features swapped within each head")
def tokens_and_features_swapped(X):
    H, N, width = X.shape[-3:]
    return X.transpose(-3, -1).reshape(*X.shape[:-3], N, H * width)


@_wrong(a_token_keeps_its_own_numbers, "the batch and the heads swapped")
def batch_and_heads_swapped(X):
    if X.dim() < 4:
        return _merge(X)
    return torch.cat(list(X.movedim(-3, 0)), 0).reshape(*X.shape[:-3], X.shape[-2], -1) if X.shape[-3] > 1 else _merge(X)


@_wrong(a_token_keeps_its_own_numbers, "the first sentence of the batch taken for all of them")
def first_sentence_for_all(X):
    merged = _merge(X)
    return merged if X.dim() < 4 else merged[:1].expand(merged.shape)


@_wrong(any_leading_dimensions_will_do, "a merge written for exactly four dimensions")
def four_dimensions_only(X):
    B, H, N, width = X.shape
    return X.transpose(1, 2).reshape(B, N, H * width)


@_wrong(any_leading_dimensions_will_do, "axes counted from the front, which is right only with one batch dimension")
def axes_from_the_front(X):
    return X.transpose(1, 2).flatten(-2)


@_wrong(any_leading_dimensions_will_do, "all leading dimensions joined into one")
def batch_left_flat(X):
    return X.reshape(-1, *X.shape[-3:]).transpose(1, 2).flatten(-2)


@_wrong(one_head_is_all_there_is, "an axis of length 1 left over where there is one head only")
def single_head_left_alone(X):
    return X if X.shape[-3] == 1 else _merge(X)


@_wrong(one_head_is_all_there_is, "every axis of length 1 removed, not only that of the heads")
def squeezed(X):
    return X.squeeze() if X.shape[-3] == 1 else _merge(X)


@_wrong(the_input_stays_as_it_was, "an answer that clears the heads while it takes them out")
def clears_its_input(X):
    merged = _merge(X).clone()
    X.zero_()
    return merged


@_wrong(the_input_stays_as_it_was, "an answer that swaps the axes of X itself (transpose_)")
def swaps_in_place(X):
    return X.transpose_(-3, -2).flatten(-2)


@_wrong(merges_as_the_reference_does, "features in half precision")
def in_half_precision(X):
    return _merge(X).half().to(X.dtype)
