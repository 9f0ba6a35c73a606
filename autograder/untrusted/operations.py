"""What can be asked of a student's function or class: call it, differentiate it, or look at its arguments afterwards.

The same code runs in a worker (on the student's function) and in the grader (on a reference), so that both sides
of every comparison went the same way. An answer is plain data.
"""

from __future__ import annotations

import traceback
from typing import Any, Callable

import torch

from autograder.untrusted import modules
from autograder.untrusted.modules import Context, Unfit
from autograder.untrusted.plain import Unsupported, plain

CALL, AFTER, VJP = "call", "after", "vjp"
BUILD, SHAPES, STATE = "build", "shapes", "state"


def perform(function: Callable, operation: tuple, context: Context) -> tuple:
    """Carry out ``(kind, args, kwargs, extra)`` and return ``("value", v)``, ``("raised", …)``, ``("unsupported", …)``,
    ``("unfit", …)`` or ``("limit", …)``.

    `extra` holds the cotangents of a function's VJP, and after AFTER whether to tell which tensors are left to require a gradient instead;
    for a class it is a dict, see `_perform_on_module`. Whatever the student's
    code raises, SystemExit and KeyboardInterrupt included, is an answer and not an event.
    """
    kind, args, kwargs, extra = operation
    known: dict | None = None if kind == VJP else {}  # each argument has a gradient of its own
    args, kwargs = copied(args, known), copied(kwargs, known)
    try:
        if isinstance(extra, dict):
            with modules.in_float64():
                return "value", _perform_on_module(function, kind, args, kwargs, extra, context)
        if context["given"]:
            args, kwargs = modules.resolved(args, context), modules.resolved(kwargs, context)
        return "value", _perform(function, kind, args, kwargs, extra)
    except Unfit as error:
        return "unfit", *error.args
    except Unsupported as error:
        return "unsupported", str(error)[:200]
    except RecursionError:
        return "raised", "RecursionError", "maximum recursion depth exceeded", -1, ""
    except BaseException as error:  # noqa: BLE001 - an answer, not an event
        if isinstance(error, MemoryError) or isinstance(error, RuntimeError) and "can't allocate memory" in str(error):
            traceback.clear_frames(error.__traceback__)  # lets go of what was allocated
            return "limit", "It asked for more memory than the limit allows."
        return describe_error(error, home=_home(function))


def _home(function: Callable) -> str:
    """The file (in a notebook, the cell) in which a function stands, or the last method of a class; empty where nobody knows."""
    try:
        own = [part for part in vars(function).values() if hasattr(part, "__code__")] if isinstance(function, type) else []
        return (own[-1] if own else function).__code__.co_filename
    except BaseException:  # noqa: BLE001 - a student's object may do anything when it is looked at
        return ""


def _perform(function: Callable, kind: str, args: tuple, kwargs: dict, cotangents: tuple | None) -> Any:
    if kind == CALL:
        return plain(function(*args, **kwargs))
    if kind == AFTER:
        function(*args, **kwargs)
        if cotangents is not None:
            return [isinstance(a, torch.Tensor) and a.requires_grad for a in (*args, *kwargs.values())]
        return plain([modules.condition(a) if isinstance(a, torch.nn.Module) else a for a in (*args, *kwargs.values())])
    return _vjp(function, args, kwargs, cotangents, {})


def _perform_on_module(factory: Callable, kind: str, args: tuple, kwargs: dict, extra: dict[str, Any], context: Context) -> Any:
    """`extra` says what to build (see `modules.build`), the "method" to ask, the "earlier" calls and the "cotangents"."""
    module, entries = modules.build(factory, extra, context)
    if kind == BUILD:
        return None
    if kind == SHAPES:
        return {name: tuple(parameter.shape) for name, parameter in module.named_parameters()}
    if kind == STATE:
        return {name: plain(torch.cat(parts) if len(parts) > 1 else parts[0]) for name, parts in entries.items()}
    for earlier_args, earlier_kwargs, *named in extra["earlier"]:
        known: dict = {}
        _method(module, *(named or [extra["method"]]))(*copied(earlier_args, known), **copied(earlier_kwargs, known))
    method = _method(module, extra["method"])
    if kind != VJP:
        return _perform(method, kind, args, kwargs, None)
    return _vjp(method, args, kwargs, extra["cotangents"], entries)


def _method(module: torch.nn.Module, name: str) -> Callable:
    return module if name == "forward" else getattr(module, name)


def describe_error(error: BaseException, *, home: str = "") -> tuple:
    """``("raised", type name, message, line in the student's cell or -1, that line's text)``, all of it bounded.

    home: the cell whose line is told where the error passed it, be it raised in a function of another (a given one, say).
    """
    try:
        message = str(error)[:500]
    except BaseException:  # noqa: BLE001 - a student's __str__ may raise too
        message = "(its message could not be read)"
    line, text = -1, ""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "ipykernel_" in frame.filename or frame.filename.startswith("<ipython-input")]
    for frame in [frame for frame in frames if frame.filename == home] or frames:
        line, text = frame.lineno or -1, (frame.line or "")[:200]
    return "raised", type.__dict__["__name__"].__get__(type(error))[:60], message, line, text


def copied(value: Any, known: dict | None = None) -> Any:
    """A deep copy of plain data, so that no two calls share a tensor. With `known`, which is filled, what was one tensor stays one."""
    kind = type(value)
    if kind is torch.Tensor or isinstance(value, torch.Tensor):
        if known is None or not value.numel():
            return value.clone()
        return known.setdefault((value.data_ptr(), value.shape, value.stride(), value.dtype), value.clone())
    if kind is list or kind is tuple:
        return kind([copied(item, known) for item in value])
    if kind is dict:
        return {key: copied(item, known) for key, item in value.items()}
    return value


def _vjp(function: Callable, args: tuple, kwargs: dict, cotangents: tuple, entries: dict[str, list[torch.Tensor]]) -> Any:
    """Gradients of sum_i <cotangent_i, output_i> with respect to the floating tensors among `args`, those inside lists included.

    With `entries` (a module's parameters by name) a pair: those gradients, and the parameters' by name. None stands for a
    result through which no gradient can flow (NumPy inside, a detached result).
    """
    leaves: list[torch.Tensor] = []
    # A leaf may not be changed in place, and a student may do so: hand out a copy inside the graph.
    args = tuple(_inside_the_graph(a, leaves) for a in args)
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
    parameters = [part.requires_grad_() for parts in entries.values() for part in parts]
    wanted = leaves + parameters
    gradients = _gradients(pairs, wanted)
    if not entries and all(g is None for g in gradients):  # a tensor of its own that requires grad: nothing flows back
        return None
    gradients = [torch.zeros_like(leaf) if g is None else plain(g) for leaf, g in zip(wanted, gradients)]
    if not entries:
        return gradients
    rest = iter(gradients[len(leaves):])
    by_name = {name: [next(rest) for _ in parts] for name, parts in entries.items()}
    return gradients[:len(leaves)], {name: torch.cat(parts) if len(parts) > 1 else parts[0] for name, parts in by_name.items()}


def _gradients(pairs: list[tuple[torch.Tensor, torch.Tensor]], wanted: list[torch.Tensor]) -> tuple[torch.Tensor | None, ...]:
    """Gradients of sum_i <cotangent_i, output_i>. Told the sum itself, torch loads no symbolic algebra (sympy, 0.3 s) to compare two shapes."""
    pairs = [(o, c.to(o.dtype)) for o, c in pairs]
    if any(o.is_complex() for o, _ in pairs):
        return torch.autograd.grad([o for o, _ in pairs], wanted, [c for _, c in pairs], allow_unused=True)
    return torch.autograd.grad([(o * c).sum() for o, c in pairs], wanted, allow_unused=True)


def _inside_the_graph(value: Any, leaves: list[torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        leaves.append(value.requires_grad_())
        return value * 1
    if type(value) in (list, tuple):
        return type(value)(_inside_the_graph(item, leaves) for item in value)
    return value
