"""Properties that many checks share, strong enough that a trivial answer (zeros, the input, equal weights) earns nothing."""

from __future__ import annotations

import math
from typing import Any, Callable

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


def assert_answered(function: Callable, args: tuple, other: tuple, drawn: Any) -> None:
    """Fail where `function` does nothing: where its result is its first argument, comes out at random or is the same for `other`.

    Every mistake passes: a check that only asks whether the inputs stay as they were gives no point to zeros by this. `drawn`, the case's
    inputs, moves the first arguments a little, so that nobody knows the answers by heart.
    """
    share = abs(math.sin(1 + _total(drawn))) / 50
    args, other = ((torch.lerp(one[0], one[0].flip(-1), share), *one[1:]) for one in (args, other))
    near = (args[0] * (1 + 1e-9), *args[1:])
    results, again, elsewhere = (_parts(function(*one)) for one in (args, near, other))
    assert_true(not all(torch.equal(one, args[0]) for one in results), "the result is the input, as it came")
    assert_true(_alike(results, again), "nearly the same input gives quite another result")
    assert_true(not _alike(results, elsewhere), "the result does not depend on the input")


def _total(drawn: Any) -> float:
    """The sum of all entries of all tensors in drawn inputs."""
    if isinstance(drawn, torch.Tensor):
        return float(drawn.to(torch.float64).nan_to_num(0.0, 0.0, 0.0).sum())
    return sum(map(_total, drawn)) if isinstance(drawn, (list, tuple)) else 0.0


def _parts(value: torch.Tensor | tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    return value if isinstance(value, tuple) else (value,)


def _alike(ones: tuple[torch.Tensor, ...], others: tuple[torch.Tensor, ...]) -> bool:
    return all(torch.allclose(one, other, atol=1e-4, equal_nan=True) for one, other in zip(ones, others))


def assert_model_as_it_was(left: dict[str, Any], was: dict[str, Any]) -> None:
    """Fail unless a model that was given is `left` by a call as it `was`; both are conditions (see `Student.condition`).

    Gradients of its parameters may be left in it, as `backward` leaves them.
    """
    assert_true(left["parts"] == was["parts"] and left["parameters"].keys() == was["parameters"].keys(),
                "the model was changed by the call: a part of it is missing, new, or another one", what="the model")
    for name, values in was["parameters"].items():
        assert_close(left["parameters"][name], values, what=f"the model's parameter {name} after the call")
        assert_true(left["parameters"][name].dtype == values.dtype, "the model was changed by the call: a parameter has another dtype", what="the model")
    assert_true(left["trained"] == was["trained"],
                "the model was changed by the call: a parameter that required a gradient does so no longer, or the other way round", what="the model")
    assert_true(left["training"] == was["training"], "the model was changed by the call: it is in another mode (train or eval)", what="the model")
    assert_true(left["hung on"] == was["hung on"], "the model was changed by the call: a hook is left on it, or a method was replaced", what="the model")
