"""Staff half of the exercise `simple_attention`: reference, alternates, misconceptions, hidden checks."""

import torch
from hypothesis import given

from autograder.compare import assert_close
from autograder.exercises.attention.simple_attention import (exercise, reordering_tokens_reorders_the_output,
                                                             rows_of_the_weights_sum_to_one, the_input_stays_as_it_was,
                                                             the_output_is_the_weighted_mean,
                                                             weights_follow_the_inner_products)
from autograder.strategies import fillers, tensors


@exercise.solution
def simple_attention(X):
    """Attention without parameters: Y = softmax(X X^T) X, with no scale.

    X: float64 tensor ... x N x D, N tokens in rows; any number of leading batch dimensions.
    Returns (Y, alpha): the outputs ... x N x D and the weights ... x N x N, row n those of token n.
    """
    alpha = torch.softmax(X @ X.transpose(-2, -1), dim=-1)
    return alpha @ X, alpha


@exercise.hidden_check(points=2, hint="Compare with the formula on two tokens of two features, then on a batch.",
                       kept="the public check of Y takes the student's own weights; here both are held against the formula, with "
                            "points for the whole")
@given(tensors())
def agrees_with_the_reference(student, X):
    """Agrees with the reference with none, one and two batch dimensions."""
    Y, alpha = student(X)
    Y_ref, alpha_ref = simple_attention(X)
    assert_close(alpha, alpha_ref, what="alpha")
    assert_close(Y, Y_ref, what="Y")


@exercise.hidden_check(points=0.5, examples=6, hint="Tokens are keys and queries and values at once: the gradient comes through all three.")
@given(tensors(low=2), fillers(("normal",)))
def the_gradient_is_right(student, X, filler):
    """Where a gradient flows through Y, it is the gradient of the formula."""
    cotangent, = filler(tuple(X.shape))
    assert_close(student(X)[0], simple_attention(X)[0], what="Y")
    got = student.vjp((cotangent, None), X)
    if got is not None:
        assert_close(got[0], simple_attention.vjp((cotangent, None), X)[0], what="the gradient with respect to X")


@exercise.alternate
def with_einsum(X):
    scores = torch.einsum("...nd,...md->...nm", X, X)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    alpha = weights / weights.sum(-1, keepdim=True)
    return torch.einsum("...nm,...md->...nd", alpha, X), alpha


@exercise.alternate
def token_by_token(X):
    rows, weights = [], []
    for n in range(X.shape[-2]):
        alpha = torch.softmax((X * X[..., n:n + 1, :]).sum(-1), -1)
        weights.append(alpha)
        rows.append((alpha[..., None] * X).sum(-2))
    return [torch.stack(rows, -2), torch.stack(weights, -2)]


@exercise.alternate
def in_two_lines(X):
    alpha = torch.softmax(X @ X.mT, -1)
    return alpha @ X, alpha


@exercise.alternate
def with_bmm(X):
    """The batch made one axis; for bmm wants three."""
    flat = X.reshape(-1, *X.shape[-2:])
    alpha = torch.nn.functional.softmax(torch.bmm(flat, flat.transpose(1, 2)), dim=2)
    return torch.bmm(alpha, flat).reshape(X.shape), alpha.reshape(*X.shape[:-1], -1)


@exercise.alternate
def in_numpy(X):
    """NumPy inside, columns normalised and turned; float32 at the end."""
    import numpy as np
    x = X.detach().numpy()
    scores = np.einsum("...id,...jd->...ji", x, x)
    weights = np.exp(scores - scores.max(-2, keepdims=True))
    alpha = np.swapaxes(weights / weights.sum(-2, keepdims=True), -1, -2)
    return torch.from_numpy(alpha @ x).float(), torch.from_numpy(alpha)


@exercise.misconception(caught_by=weights_follow_the_inner_products, tell="scores divided by sqrt(D), which this formula does not have")
def scaled(X):
    alpha = torch.softmax(X @ X.mT / X.shape[-1] ** 0.5, -1)
    return alpha @ X, alpha


@exercise.misconception(caught_by=the_output_is_the_weighted_mean, tell="weights that were transposed before mixing the tokens")
def weights_transposed(X):
    alpha = torch.softmax(X @ X.mT, -1)
    return alpha.mT @ X, alpha


@exercise.misconception(caught_by=rows_of_the_weights_sum_to_one, tell="a softmax over the wrong axis: columns sum to 1 instead of rows")
def softmax_over_the_columns(X):
    alpha = torch.softmax(X @ X.mT, -2)
    return alpha @ X, alpha


@exercise.misconception(caught_by=rows_of_the_weights_sum_to_one, tell="inner products used as weights, without the softmax")
def no_softmax(X):
    alpha = X @ X.mT
    return alpha @ X, alpha


@exercise.misconception(caught_by=rows_of_the_weights_sum_to_one, tell="scores between features (X^T X) instead of between tokens")
def feature_scores(X):
    alpha = torch.softmax(X.mT @ X, -1)
    return X @ alpha, alpha


@exercise.misconception(caught_by=weights_follow_the_inner_products, tell="cosine similarities instead of inner products")
def cosine_similarity(X):
    unit = X / X.norm(dim=-1, keepdim=True).clamp(min=1e-12)
    alpha = torch.softmax(unit @ unit.mT, -1)
    return alpha @ X, alpha


@exercise.misconception(caught_by=rows_of_the_weights_sum_to_one, tell="scores divided by their sum, without the exponential")
def scores_over_their_sum(X):
    scores = X @ X.mT
    alpha = scores / scores.sum(-1, keepdim=True)
    return alpha @ X, alpha


@exercise.misconception(caught_by=weights_follow_the_inner_products, tell="softmax of squared distances, so that near tokens get little weight")
def squared_distances(X):
    alpha = torch.softmax(((X[..., :, None, :] - X[..., None, :, :]) ** 2).sum(-1), -1)
    return alpha @ X, alpha


@exercise.misconception(caught_by=the_output_is_the_weighted_mean, tell="the token added to its output (a residual connection that the formula does not have)")
def residual_added(X):
    alpha = torch.softmax(X @ X.mT, -1)
    return X + alpha @ X, alpha


@exercise.misconception(caught_by=weights_follow_the_inner_products, tell="a causal mask, although every token may attend to every other")
def causal(X):
    scores = X @ X.mT
    alpha = torch.softmax(scores.masked_fill(torch.ones_like(scores).tril() == 0, float("-inf")), -1)
    return alpha @ X, alpha


@exercise.misconception(caught_by=weights_follow_the_inner_products, tell="a token that may not attend to itself (the diagonal is masked)")
def diagonal_masked(X):
    scores = X @ X.mT - 1e9 * torch.eye(X.shape[-2], dtype=X.dtype)
    alpha = torch.softmax(scores, -1)
    return alpha @ X, alpha


@exercise.misconception(caught_by=agrees_with_the_reference, tell="a batch flattened into one long sequence")
def batch_flattened(X):
    flat = X.reshape(-1, X.shape[-1])
    alpha = torch.softmax(flat @ flat.mT, -1)
    Y = (alpha @ flat).reshape(X.shape)
    if X.dim() == 2:
        return Y, alpha
    return Y, torch.softmax(X @ X.mT, -1)


@exercise.misconception(caught_by=agrees_with_the_reference, tell="the first element of the batch used for all of them")
def first_of_the_batch(X):
    scores = X @ X.mT
    first = scores[(0,) * (X.dim() - 2)]
    alpha = torch.softmax(first, -1).expand(scores.shape).contiguous()
    return alpha @ X, alpha


@exercise.misconception(caught_by=reordering_tokens_reorders_the_output, tell="tokens weighted by their place in the sequence")
def weighted_by_place(X):
    alpha = torch.softmax(X @ X.mT + torch.arange(X.shape[-2], dtype=X.dtype), -1)
    return alpha @ X, alpha


@exercise.misconception(caught_by=the_input_stays_as_it_was, tell="an attention that overwrites its input")
def in_place(X):
    alpha = torch.softmax(X @ X.mT, -1)
    X.copy_(alpha @ X)
    return X, alpha


@exercise.misconception(caught_by=agrees_with_the_reference, tell="weights rounded to a few digits")
def rounded(X):
    alpha = torch.softmax(X @ X.mT, -1)
    return (alpha @ X).round(decimals=3), alpha.round(decimals=3)


@exercise.misconception(caught_by=the_gradient_is_right, tell="weights through which no gradient flows")
def weights_detached(X):
    alpha = torch.softmax(X @ X.mT, -1)
    return alpha.detach() @ X, alpha
