"""Properties that many checks share, strong enough that a trivial answer (zeros, the input, equal weights) earns nothing."""

from __future__ import annotations

import torch

from autograder.compare import assert_close, assert_true


def assert_attention_weights(alpha: torch.Tensor, scores: torch.Tensor, *, dim: int = -1, what: str = "alpha") -> None:
    """Fail unless `alpha` is positive, sums to 1 along `dim`, and gives the larger of two scores the larger weight.

    `scores` has the shape of `alpha`; -inf marks pairs that get no weight.
    """
    assert_true((alpha >= 0).all(), f"an entry of {what} is negative or not a number", what=what)
    assert_close(alpha.sum(dim), 1.0, what=f"the sum of {what} along the axis {dim}")
    best, worst = scores.argmax(dim, keepdim=True), scores.argmin(dim, keepdim=True)
    apart = scores.gather(dim, best) > scores.gather(dim, worst) + 0.01
    ordered = alpha.gather(dim, best) > alpha.gather(dim, worst)
    assert_true((ordered | ~apart).all(), f"in {what}, the largest score does not get a larger weight than the smallest", what=what)
