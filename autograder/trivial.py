"""Trivial answers: results of the right form that nobody computed. No check may give a point for one."""

from __future__ import annotations

from typing import Any, Callable

import torch

from autograder.conform import Shaped
from autograder.exercise import Exercise
from autograder.student import local

Fill = Callable[[tuple, Shaped], Any]  # the arguments as shown, and the form of one result


def _typed(shaped: Shaped) -> torch.dtype:
    return {"bool": torch.bool, "int": torch.int64}.get(shaped.entries, torch.float64)


FILLS: dict[str, Fill] = {
    "zeros": lambda args, shaped: torch.zeros(shaped.dims, dtype=_typed(shaped)),
    "ones": lambda args, shaped: torch.ones(shaped.dims, dtype=_typed(shaped)),
    "equal weights": lambda args, shaped: (torch.full(shaped.dims, 1 / (shaped.dims or (1,))[-1], dtype=torch.float64)
                                           if shaped.entries == "float" else torch.ones(shaped.dims, dtype=_typed(shaped))),
    "random weights": lambda args, shaped: (torch.softmax(torch.randn(shaped.dims, dtype=torch.float64), -1)
                                            if shaped.entries == "float" and shaped.dims else torch.rand(shaped.dims) < 0.5),
    "the input": lambda args, shaped: args[0] if args and isinstance(args[0], torch.Tensor) else torch.zeros(shaped.dims, dtype=torch.bool),
    "nothing": lambda args, shaped: None,
}


def trivial(fill: Fill, exercise: Exercise) -> Callable:
    """An answer of the right form made by `fill`: a function, or a class all of whose methods answer so."""
    def each(shown: tuple, shaped: Any) -> Any:
        return [fill(shown, one) for one in shaped] if isinstance(shaped, list) else fill(shown, shaped)

    def result(returns: Callable, args: tuple, kwargs: dict[str, Any], shown: tuple) -> Any:
        results = tuple(each(shown, shaped) for shaped in returns(*args, **kwargs).values())
        return results if len(results) > 1 else results[0]

    if exercise.parameters is None:
        return lambda *args, **kwargs: result(exercise.returns, args, kwargs, args)

    def method(returns: Callable) -> Callable:
        return lambda self, *args, **kwargs: result(returns, (self.built, *args), kwargs, args)

    class Trivial(exercise.reference.function):
        """The reference's parameters, and nothing done with them."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.built = local(None, exercise).build(*args, **kwargs)

    for name, returns in exercise.returns.items():
        setattr(Trivial, name, method(returns))
    return Trivial
