"""The smallest failing input as text: the call, its inputs, what was expected and got, and lines that reproduce it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import torch

from autograder.case import Case
from autograder.compare import Mismatch, decimals_apart, digits_apart, number
from autograder.exercise import Exercise, same_values
from autograder.given import Given, undescribed
from autograder.rendering import literal, render, window
from autograder.student import Student
from autograder.untrusted.operations import AFTER, CALL, VJP


@dataclass(frozen=True)
class Counterexample:
    """The smallest failing input as text: each argument, what was expected and got, and lines that reproduce it.

    `what` names the quantity that was compared; `returned` is the whole result where that is something else. `maps`: what was got and
    expected as numbers, where a picture of both helps.
    """

    call: str
    inputs: dict[str, str]
    what: str
    returned: str | None
    expected: str | None
    got: str | None
    differs_at: list[int] | None
    reproduce: list[str]
    maps: Maps | None = None


@dataclass(frozen=True)
class Maps:
    """The part of what was got and expected in which they differ most, as rows of numbers in four digits. `index`, `row` and `column`
    say which part it is, `worst` where in it they differ most."""

    index: list[int]
    row: int
    column: int
    worst: list[int]
    got: list[list[str]]
    expected: list[list[str]]


@dataclass(frozen=True)
class _Call:
    """One operation taken apart: `made` is source that makes the module (empty for a function), `shown` the call as read."""

    kind: str
    names: dict[str, Any]
    kwargs: dict[str, Any]
    results: list[str]
    cotangents: tuple | None
    made: str
    receiver: str
    shown: str

    @property
    def text(self) -> str:
        """The call as source, on the names of the inputs."""
        return self.receiver + self.arguments

    @property
    def arguments(self) -> str:
        """The arguments in parentheses."""
        return f"({', '.join(_part(name, value, self.kwargs) for name, value in self.names.items())})"

    @property
    def inputs(self) -> dict[str, Any]:
        """The arguments that are too large to be written inside the call."""
        return {name: value for name, value in self.names.items() if _is_input(value)}


def counterexample(exercise: Exercise, error: BaseException, case: Case, *, show_expected: bool) -> Counterexample | None:
    """The failing call of `case` as text; the last call is the one that failed, or the one whose result was compared."""
    if not case.calls:
        return None
    operation, answer = case.calls[-1]
    call = _function_call(exercise, operation) if exercise.parameters is None else _module_call(exercise, operation)
    if len(call.results) > 1 and not (isinstance(answer[1], (tuple, list)) and len(answer[1]) == len(call.results)):
        call = replace(call, results=call.results[:1])  # not the several results that it should be: shown as it is
    if answer[0] == "unfit":
        call = replace(call, receiver="")  # the parameters are the thing to look at
    mismatch = error if isinstance(error, Mismatch) else None
    where = mismatch.where if mismatch and mismatch.where else None
    what = mismatch.what.rstrip(",") if mismatch else ""
    expected = got = whole = maps = None
    if show_expected:
        expected, got, maps = _compared(mismatch, where)
        compared = mismatch is not None and same_values(mismatch.got, answer[1])
        whole = _named(answer[1], call.results) if call.kind == CALL and answer[0] == "value" and not compared else None
        if got is None and whole is None and answer[0] == "value" and answer[1] is not None:
            got = render(answer[1])
    return Counterexample(call.shown, {name: render(value) for name, value in call.names.items()}, what, whole if whole != got else None,
                          expected, got, list(where) if where else None, _reproduce(call, what), maps)


def _compared(mismatch: Mismatch | None, where: tuple[int, ...] | None) -> tuple[str | None, str | None, Maps | None]:
    """What was expected and got, as text, and as maps where both are tensors of some size."""
    if mismatch is None:
        return None, None, None
    expected, got = mismatch.expected, mismatch.got
    both = isinstance(expected, torch.Tensor) and isinstance(got, torch.Tensor) and expected.shape == got.shape and where is not None
    apart = (float(expected[where]), float(got[where])) if both else (0.0, 1.0)
    texts = [None if value is None else render(value, where=where, digits=decimals_apart(*apart)) for value in (expected, got)]
    return *texts, _maps(expected, got, where, digits_apart(*apart)) if both else None


def _maps(expected: torch.Tensor, got: torch.Tensor, where: tuple[int, ...], digits: int) -> Maps | None:
    part = window(got, where)
    shown = part.of(got)
    if shown.numel() < 3:
        return None
    row, column = (0, *where)[-2:]
    numbers = [[[number(entry, digits) for entry in line] for line in part.of(value).tolist()] for value in (got, expected)]
    return Maps(list(part.index), part.row, part.column, [row - part.row, column - part.column], *numbers)


def _function_call(exercise: Exercise, operation: tuple) -> _Call:
    kind, args, kwargs, cotangents = operation
    args, kwargs = undescribed(args), undescribed(kwargs)
    names = {**dict(zip(_parameters(exercise.returns), args)), **kwargs}
    results = list(exercise.returns(*args, **kwargs)) if kind == CALL else []
    call = _Call(kind, names, kwargs, results, cotangents, "", exercise.name, "")
    return _Call(kind, names, kwargs, results, cotangents, "", exercise.name, call.text)


def _module_call(exercise: Exercise, operation: tuple) -> _Call:
    kind, args, kwargs, extra = operation
    args, kwargs = undescribed(args), undescribed(kwargs)
    built = Given(exercise.name, *extra["arguments"][0], **extra["arguments"][1])
    bare = built.source(literal)
    built.filling = extra["fill"]
    made = built.source(literal) + (".train()" if extra["training"] else "")
    if kind not in (CALL, AFTER, VJP):
        return _Call(kind, {}, {}, [], None, made, "", bare)
    returns = exercise.returns[extra["method"]]
    names = {**dict(zip(_parameters(returns)[1:], args)), **kwargs}
    receiver = "module" if extra["method"] == "forward" else f"module.{extra['method']}"
    results = list(returns(Student(_nobody, exercise).build(*extra["arguments"][0], **extra["arguments"][1]), *args, **kwargs)) if kind == CALL else []
    call = _Call(kind, names, kwargs, results, extra["cotangents"], made, receiver, "")
    shown = f"{made}{receiver.removeprefix('module')}{call.arguments}" + (", after another call on the same module" if extra["earlier"] else "")
    return _Call(kind, names, kwargs, results, extra["cotangents"], made, receiver, shown)


def _nobody(operation: tuple) -> tuple:
    raise LookupError("only the arguments of this module are known")


def _parameters(function: Any) -> tuple[str, ...]:
    return function.__code__.co_varnames[:function.__code__.co_argcount]


def _is_input(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_input, value))
    return isinstance(value, (torch.Tensor, Given))


def _part(name: str, value: Any, kwargs: dict) -> str:
    text = name if _is_input(value) else repr(value)
    return f"{name}={text}" if name in kwargs else text


def _named(value: Any, names: list[str]) -> str:
    """A returned value as text, each result of several under its name."""
    if not isinstance(value, (tuple, list)) or len(value) != len(names):
        return render(value)
    return "\n".join(f"{name} = " + render(item).replace("\n", "\n" + " " * (len(name) + 3)) for name, item in zip(names, value))


def _reproduce(call: _Call, what: str) -> list[str]:
    """Lines to paste below the answer: the inputs, the module if there is one, the call, and what to look at."""
    inputs = call.inputs
    lines = [f"{', '.join(inputs)} = {', '.join(map(literal, inputs.values()))}"] if inputs else []
    if call.made:
        lines.append(f"module = {call.made}")
    if not call.receiver:
        return [*lines, "print({name: tuple(p.shape) for name, p in module.named_parameters()})"]
    if call.kind == AFTER:
        return [*lines, call.text, f"print({', '.join(inputs)})"]
    if call.kind == VJP:
        return [*lines, *_backward(call)]
    if len(call.results) > 1:
        looked_at = next((name for name in call.results if re.search(rf"\b{re.escape(name)}\b", what)), call.results[0])
        return [*lines, f"{', '.join(call.results)} = {call.text}", f"print({looked_at})"]
    return [*lines, f"result = {call.text}", "print(result)"]


def _backward(call: _Call) -> list[str]:
    weights = next(c for c in call.cotangents if c is not None)
    leaves = [name for name, value in call.inputs.items() if isinstance(value, torch.Tensor) and value.is_floating_point()]
    first = "[0]" if len(call.cotangents) > 1 else ""
    mark = f"[x.requires_grad_() for x in ({', '.join(leaves)},)]; " if leaves else ""
    parameters = "{name: p.grad for name, p in module.named_parameters()}"
    looked_at = [f"{name}.grad" for name in leaves] + ([parameters] if call.made else [])
    return [f"{mark}({call.text}{first} * {literal(weights)}).sum().backward()", f"print({', '.join(looked_at)})"]
