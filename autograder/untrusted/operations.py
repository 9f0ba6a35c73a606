"""What can be asked of a student's function: call it, differentiate it, or look at its arguments afterwards.

The same code runs in a worker (on the student's function) and in the grader (on a reference), so that both sides
of every comparison went the same way. An answer is plain data.
"""

from __future__ import annotations

import traceback
from typing import Any, Callable

import torch

from autograder.untrusted.wire import Unsupported, plain

CALL, AFTER, VJP = "call", "after", "vjp"


def perform(function: Callable, operation: tuple) -> tuple:
    """Carry out ``(kind, args, kwargs, extra)`` and return ``("value", v)``, ``("raised", …)``, ``("unsupported", …)``
    or ``("limit", …)``.

    Whatever the student's code raises, SystemExit and KeyboardInterrupt included, is an answer and not an event.
    """
    kind, args, kwargs, extra = operation
    args, kwargs = copied(args), copied(kwargs)
    try:
        if kind == CALL:
            return "value", plain(function(*args, **kwargs))
        if kind == AFTER:
            function(*args, **kwargs)
            return "value", plain([*args, *kwargs.values()])
        return "value", _vjp(function, args, kwargs, extra)
    except Unsupported as error:
        return "unsupported", str(error)[:200]
    except RecursionError:
        return "raised", "RecursionError", "maximum recursion depth exceeded", -1, ""
    except BaseException as error:  # noqa: BLE001 - an answer, not an event
        if isinstance(error, MemoryError) or isinstance(error, RuntimeError) and "can't allocate memory" in str(error):
            traceback.clear_frames(error.__traceback__)  # lets go of what was allocated
            return "limit", "It asked for more memory than the limit allows."
        return describe_error(error)


def describe_error(error: BaseException) -> tuple:
    """``("raised", type name, message, line in the student's cell or -1, that line's text)``, all of it bounded."""
    try:
        message = str(error)[:500]
    except BaseException:  # noqa: BLE001 - a student's __str__ may raise too
        message = "(its message could not be read)"
    line, text = -1, ""
    for frame in traceback.extract_tb(error.__traceback__):
        if "ipykernel_" in frame.filename or frame.filename.startswith("<ipython-input"):
            line, text = frame.lineno or -1, (frame.line or "")[:200]
    return "raised", type.__dict__["__name__"].__get__(type(error))[:60], message, line, text


def copied(value: Any) -> Any:
    """A deep copy of plain data, so that no two calls share a tensor."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if type(value) in (list, tuple):
        return type(value)(copied(item) for item in value)
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    return value


def _vjp(function: Callable, args: tuple, kwargs: dict, cotangents: tuple) -> Any:
    """Gradients of sum_i <cotangent_i, output_i> with respect to the floating tensors among `args`.

    None stands for a result through which no gradient can flow (NumPy inside, a detached result).
    """
    leaves = [a.requires_grad_() for a in args if isinstance(a, torch.Tensor) and a.is_floating_point()]
    # A leaf may not be changed in place, and a student may do so: hand out a copy inside the graph.
    args = tuple(a * 1 if isinstance(a, torch.Tensor) and a.requires_grad else a for a in args)
    try:
        outputs = function(*args, **kwargs)
    except RuntimeError as error:
        if "requires grad" in str(error):  # .numpy() on a tensor that requires grad
            return None
        raise
    outputs = tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
    plain(outputs)
    pairs = [(o, c) for o, c in zip(outputs, cotangents) if c is not None]
    if not all(isinstance(o, torch.Tensor) and o.requires_grad for o, _ in pairs):
        return None
    for output, cotangent in pairs:
        if output.shape != cotangent.shape:
            raise Unsupported(f"a result of shape {tuple(output.shape)} where {tuple(cotangent.shape)} is expected")
    gradients = torch.autograd.grad([o for o, _ in pairs], leaves, [c.to(o.dtype) for o, c in pairs], allow_unused=True)
    return [torch.zeros_like(leaf) if g is None else plain(g) for leaf, g in zip(leaves, gradients)]
