"""Whether a function gives the same result for the same input: asked again, with another call between."""

from __future__ import annotations

from typing import Any

import torch

from autograder.behaviour import same_answer
from autograder.case import Case
from autograder.student import Ask

SENTENCE = ("Two equal calls gave different results: something is kept from call to call (a global, a cache, a counter), or random "
            "numbers are drawn (dropout left on).")


def differs_when_repeated(case: Case, ask: Ask) -> bool:
    """Whether the last call of a failing case is answered otherwise when it is made again, at once or after another call."""
    if not case.calls:
        return False
    operation, answer = case.calls[-1]
    if not same_answer(answer, ask(operation)):
        return True
    kind, args, kwargs, extra = operation
    ask((kind, _moved(args), kwargs, extra))
    return not same_answer(answer, ask(operation))


def differs_when_first(case: Case, fresh: Ask) -> bool:
    """Whether the last call of a failing case is answered otherwise by a process in which it is the first call."""
    return bool(case.calls) and not same_answer(case.calls[-1][1], fresh(case.calls[-1][0]))


def _moved(value: Any) -> Any:
    """Other arguments of the same form."""
    if type(value) is int or isinstance(value, torch.Tensor) and value.dtype is not torch.bool:
        return value + 1
    if type(value) in (list, tuple):
        return type(value)(map(_moved, value))
    return value
