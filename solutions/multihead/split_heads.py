"""Staff half of the exercise `split_heads`: reference, alternates, misconceptions, hidden checks."""

import numpy as np
import torch
from hypothesis import given

from autograder.compare import assert_close
from autograder.exercises.multihead.split_heads import (a_head_holds_neighbouring_columns, a_token_keeps_its_own_numbers,
                                                        a_width_that_does_not_fit_is_refused, any_leading_dimensions_will_do, exercise,
                                                        features_and_heads, the_input_stays_as_it_was)
from autograder.strategies import fillers, leading


@exercise.solution
def split_heads(X, H):
    """Cut the D features of every token into H heads of D/H features: head h gets the columns h D/H to (h + 1) D/H - 1.

    X: float64 tensor ... x N x D, with any number of leading batch dimensions. H: the number of heads, an int.
    Returns a tensor ... x H x N x D/H.
    Raises ValueError where H does not divide D.
    """
    N, D = X.shape[-2:]
    if D % H != 0:
        raise ValueError(f"{H} heads do not divide {D} features")
    return X.reshape(*X.shape[:-2], N, H, D // H).transpose(-3, -2)


exercise.equivalent("if D % H != 0: -> if False:",
                    because="any exception is a refusal, and without the sentence reshape raises one of its own")


@exercise.hidden_check(points=1.5, examples=20, hint="Try more tokens than heads and more heads than tokens, with and without a batch. Which of the "
                                                     "axes change their places?",
                       kept="the only one with five and six heads, tokens and features a head, where a cut that fits small sizes by "
                            "chance no longer does")
@given(features_and_heads(leading(), most=6), fillers(("normal",)))
def splits_as_the_reference_does(student, case, filler):
    """Splits as the reference does, with up to six heads, tokens and features a head; where gradients flow, they come back the same way."""
    assert_close(student(*case), split_heads(*case), what="the tensor of heads")
    X, H = case
    cotangent, = filler((*X.shape[:-2], H, X.shape[-2], X.shape[-1] // H))
    got = student.vjp((cotangent,), *case)
    if got is not None:
        assert_close(got[0], split_heads.vjp((cotangent,), *case)[0], what="the gradient with respect to X")


@exercise.alternate
def stacked_slices(X, H):
    width, rest = divmod(X.shape[-1], H)
    if rest:
        raise ValueError("no")
    return torch.stack([X[..., h * width:(h + 1) * width] for h in range(H)], -3)


@exercise.alternate
def unflattened(X, H):
    assert X.shape[-1] % H == 0, "H must divide D"
    return X.unflatten(-1, (H, -1)).movedim(-2, -3).contiguous()


@exercise.alternate
def with_numpy(X, H):
    x = X.detach().numpy()
    return torch.from_numpy(np.stack(np.split(x, H, -1), -3))


@exercise.alternate
def in_single_precision(X, H):
    if X.shape[-1] / H != X.shape[-1] // H:
        raise ValueError(H)
    heads = torch.zeros(*X.shape[:-2], H, X.shape[-2], X.shape[-1] // H)
    for h, part in enumerate(X.chunk(H, -1)):
        heads[..., h, :, :] = part
    return heads


def _width(X, H):
    if X.shape[-1] % H != 0:
        raise ValueError("H does not divide D")
    return X.shape[-1] // H


def _split(X, H):
    return X.reshape(*X.shape[:-1], H, _width(X, H)).transpose(-3, -2)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(a_token_keeps_its_own_numbers, "one reshape to H x N x D/H without a transposition: the heads cut up the sentence, not the features")
def reshaped_only(X, H):
    return X.reshape(*X.shape[:-2], H, X.shape[-2], _width(X, H))


@_wrong(a_head_holds_neighbouring_columns, "heads dealt out like cards: head h gets every H-th column (the head axis was the fast one)")
def head_axis_is_the_fast_one(X, H):
    return X.reshape(*X.shape[:-1], _width(X, H), H).movedim(-1, -3)


@_wrong(a_head_holds_neighbouring_columns, "heads in reverse order")
def heads_reversed(X, H):
    return _split(X, H).flip(-3)


@_wrong(a_head_holds_neighbouring_columns, "columns that are reversed within the whole vector")
def columns_reversed(X, H):
    return _split(X.flip(-1), H)


@_wrong(a_token_keeps_its_own_numbers, "tokens in the place of heads: the axes were never swapped, N x H x D/H comes out")
def never_transposed(X, H):
    return X.reshape(*X.shape[:-1], H, _width(X, H))


@_wrong(a_token_keeps_its_own_numbers, "each head transposed, D/H x N in place of N x D/H")
def each_head_transposed(X, H):
    return _split(X, H).mT


@_wrong(a_token_keeps_its_own_numbers, "heads of width H, where H heads are asked for")
def width_taken_for_number(X, H):
    width = _width(X, H)
    return X.reshape(*X.shape[:-1], width, H).transpose(-3, -2)


@_wrong(a_token_keeps_its_own_numbers, "heads and batch in one axis, taken apart in the wrong order (the sentences of a batch get mixed)")
def batch_and_heads_mixed(X, H):
    _width(X, H)
    joined = torch.cat(X.chunk(H, -1), 0) if X.dim() > 2 else _split(X, H)
    return joined.reshape(*X.shape[:-2], H, X.shape[-2], X.shape[-1] // H)


@_wrong(a_token_keeps_its_own_numbers, "the first sentence of the batch taken for all of them")
def first_sentence_for_all(X, H):
    heads = _split(X, H)
    return heads if X.dim() < 3 else heads[:1].expand(heads.shape)


@_wrong(a_token_keeps_its_own_numbers, "the first head repeated H times")
def first_head_for_all(X, H):
    heads = _split(X, H)
    return heads[..., :1, :, :].expand(heads.shape)


@_wrong(a_token_keeps_its_own_numbers, "all heads but the last one left at zero")
def last_head_only(X, H):
    heads = torch.zeros_like(_split(X, H))
    heads[..., -1, :, :] = X[..., -heads.shape[-1]:]
    return heads


@_wrong(a_token_keeps_its_own_numbers, "tokens in reverse order within each head")
def tokens_reversed(X, H):
    return _split(X, H).flip(-2)


@_wrong(a_token_keeps_its_own_numbers, "heads at the very front, before the batch")
def heads_before_the_batch(X, H):
    return torch.stack(X.chunk(H, -1), 0) if _width(X, H) else None


@_wrong(any_leading_dimensions_will_do, "a split written for exactly three dimensions")
def three_dimensions_only(X, H):
    B, N, D = X.shape
    return X.reshape(B, N, H, _width(X, H)).transpose(1, 2)


@_wrong(any_leading_dimensions_will_do, "axes counted from the front, which is right only with one batch dimension")
def axes_from_the_front(X, H):
    return X.reshape(*X.shape[:-1], H, _width(X, H)).transpose(1, 2)


@_wrong(any_leading_dimensions_will_do, "all leading dimensions joined into one")
def batch_left_flat(X, H):
    return X.reshape(-1, X.shape[-2], H, _width(X, H)).transpose(1, 2)


@_wrong(a_width_that_does_not_fit_is_refused, "the columns that are left over thrown away without a word, where a ValueError is asked for")
def leftovers_dropped(X, H):
    width = max(1, X.shape[-1] // H)
    return torch.stack([X[..., h * width:(h + 1) * width] for h in range(H) if (h + 1) * width <= X.shape[-1]], -3)


@_wrong(a_width_that_does_not_fit_is_refused, "None returned (or the error printed) where a ValueError is asked for")
def error_returned(X, H):
    return None if X.shape[-1] % H != 0 else _split(X, H)


@_wrong(a_width_that_does_not_fit_is_refused, "features filled up with zeros until H fits, where a ValueError is asked for")
def filled_up(X, H):
    missing = -X.shape[-1] % H
    return _split(torch.cat([X, torch.zeros_like(X[..., :1]).expand(*X.shape[:-1], missing)], -1), H)



@_wrong(the_input_stays_as_it_was, "an answer that clears X while it takes the heads out of it")
def clears_its_input(X, H):
    heads = _split(X, H).clone()
    X.zero_()
    return heads


@_wrong(splits_as_the_reference_does, "heads in half precision")
def in_half_precision(X, H):
    return _split(X, H).half().to(X.dtype)
