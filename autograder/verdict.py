"""The verdict on one check and on one exercise: an outcome, points, and the one format of a failure."""

from __future__ import annotations

import builtins
import contextlib
import re
from dataclasses import dataclass, field
from typing import Any, Iterator

import torch

from autograder.case import Case
from autograder.compare import Mismatch
from autograder.exercise import HIDDEN, Check, Exercise
from autograder.student import OverLimit, StudentRaised
from autograder.untrusted.operations import AFTER, CALL, VJP

CORRECT, WRONG, RAISED, LIMIT = "correct", "wrong", "raised", "limit"
NOT_ATTEMPTED, UNREADABLE, GRADER_FAULT = "not_attempted", "unreadable", "grader_fault"


@dataclass(frozen=True)
class Counterexample:
    """The smallest failing input as text: each argument, what was expected and got, and lines that reproduce it.

    `what` names the quantity that was compared; `returned` is the whole result where that is something else.
    """

    call: str
    inputs: dict[str, str]
    what: str
    returned: str | None
    expected: str | None
    got: str | None
    differs_at: list[int] | None
    reproduce: list[str]


@dataclass
class CheckVerdict:
    """What became of one check."""

    check: Check
    outcome: str
    message: str = ""
    counterexample: Counterexample | None = None

    @property
    def points(self) -> float:
        """The points it earned: all or none."""
        return self.check.points if self.outcome == CORRECT else 0.0


@dataclass
class ExerciseVerdict:
    """What became of one exercise. `not_run` counts hidden checks that this run did not have."""

    exercise: Exercise
    checks: list[CheckVerdict]
    behaves_like: str | None = None
    remarks: list[str] = field(default_factory=list)
    not_run: int = 0

    @property
    def score(self) -> float:
        """Points earned."""
        return sum(verdict.points for verdict in self.checks)

    @property
    def outcome(self) -> str:
        """The gravest outcome among the checks."""
        order = (GRADER_FAULT, NOT_ATTEMPTED, LIMIT, RAISED, WRONG, CORRECT)
        return min((verdict.outcome for verdict in self.checks), key=order.index, default=CORRECT)


def judged(exercise: Exercise, check: Check, error: BaseException, case: Case) -> CheckVerdict:
    """The verdict on a failing case, told on that case (which for a hidden check was drawn from the public seed)."""
    hidden = check.visibility == HIDDEN
    if isinstance(error, OverLimit):
        return CheckVerdict(check, LIMIT, str(error))
    example = counterexample(exercise, error, case, show_expected=not hidden)
    if isinstance(error, StudentRaised):
        return CheckVerdict(check, RAISED, _raised_sentence(error, hidden), example)
    if isinstance(error, Mismatch):
        sentence = error.sentence if hidden else str(error)
        return CheckVerdict(check, WRONG, f"{sentence}.", example)
    return CheckVerdict(check, WRONG, f"The result could not be used as the check needs it ({type(error).__name__}).", example)


def in_general_words(check: Check, error: BaseException) -> CheckVerdict:
    """The verdict on a failure that no example shows: its kind, and no word or number from the student's process."""
    if isinstance(error, StudentRaised):
        return CheckVerdict(check, RAISED, "An exception was raised, on larger inputs than an example can show.")
    sentence = error.sentence if isinstance(error, Mismatch) else "the result could not be used as the check needs it"
    return CheckVerdict(check, WRONG, f"{sentence}, on larger inputs than an example can show.")


def _raised_sentence(error: StudentRaised, hidden: bool) -> str:
    name = error.name if hasattr(builtins, error.name) or not hidden else "An exception of the notebook's own"
    if error.name == "NotImplementedError" and "raise NotImplementedError" in error.text:
        return "The line `raise NotImplementedError()` is still reached: replace it with your answer."
    place = f" in line {error.line} of the cell" if 0 < error.line < 10_000 else ""
    if hidden:  # no text from the student's process, which could carry hidden inputs out
        return f"{name} was raised{place}."
    line = f": `{error.text.strip()}`" if error.text.strip() else ""
    remedy = ""
    if "dtype" in error.message and ("Double" in error.message or "double" in error.message or "Float" in error.message):
        remedy = (" The inputs are float64: a tensor made inside with torch.zeros, torch.ones or torch.tensor is float32 "
                  "unless you pass dtype=X.dtype.")
    return f"{name} was raised{place}{line}. It says: {_one_line(error.message)}{remedy}"


def _one_line(text: str, limit: int = 300) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[:limit] + " …"


def counterexample(exercise: Exercise, error: BaseException, case: Case, *, show_expected: bool) -> Counterexample | None:
    """The failing call of `case` as text; the last call is the one that failed, or the one whose result was compared."""
    if not case.calls:
        return None
    (kind, args, kwargs, cotangents), answer = case.calls[-1]
    names = _argument_names(exercise, args, kwargs)
    mismatch = error if isinstance(error, Mismatch) else None
    shown = {name: render(value) for name, value in names.items()}
    call = f"{exercise.name}({', '.join(_call_part(name, value, kwargs) for name, value in names.items())})"
    expected = render(mismatch.expected) if mismatch and show_expected and mismatch.expected is not None else None
    got = render(mismatch.got) if mismatch and mismatch.got is not None else None
    if got is None and answer[0] == "value" and show_expected:
        got = render(answer[1])
    where = list(mismatch.where) if mismatch and mismatch.where else None
    whole = None
    what = mismatch.what.rstrip(",") if mismatch else ""
    results = list(exercise.returns(*args, **kwargs)) if kind == CALL else []
    if show_expected and kind == CALL and answer[0] == "value":
        whole = _named(answer[1], results)
    return Counterexample(call, shown, what, whole if whole != got else None, expected, got if show_expected else None, where,
                          _reproduce(names, call, kind, cotangents, results, what))


def _named(value: Any, names: list[str]) -> str:
    """A returned value as text, each result of several under its name."""
    if not isinstance(value, (tuple, list)) or len(value) != len(names):
        return render(value)
    return "\n".join(f"{name} = " + render(item).replace("\n", "\n" + " " * (len(name) + 3)) for name, item in zip(names, value))


def _reproduce(names: dict[str, Any], call: str, kind: str, cotangents: tuple | None, results: list[str], what: str) -> list[str]:
    """Three lines to paste below the answer: the inputs, the call, and what to look at."""
    tensors = {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}
    inputs = f"{', '.join(tensors)} = {', '.join(map(literal, tensors.values()))}" if tensors else "# no tensors go in"
    if kind == AFTER:
        return [inputs, call, f"print({', '.join(tensors)})"]
    if kind == VJP:
        weights = next(c for c in cotangents if c is not None)
        leaves = [name for name, value in tensors.items() if value.is_floating_point()]
        first = "[0]" if len(cotangents) > 1 else ""
        return [inputs, f"[x.requires_grad_() for x in ({', '.join(leaves)},)]; ({call}{first} * {literal(weights)}).sum().backward()",
                f"print({', '.join(name + '.grad' for name in leaves)})"]
    if len(results) > 1:
        looked_at = next((name for name in results if re.search(rf"\b{name}\b", what)), results[0])
        return [inputs, f"{', '.join(results)} = {call}", f"print({looked_at})"]
    return [inputs, f"result = {call}", "print(result)"]


def _argument_names(exercise: Exercise, args: tuple, kwargs: dict) -> dict[str, Any]:
    names = exercise.returns.__code__.co_varnames[:exercise.returns.__code__.co_argcount]
    return {**dict(zip(names, args)), **kwargs}


def _call_part(name: str, value: Any, kwargs: dict) -> str:
    text = name if isinstance(value, torch.Tensor) else repr(value)
    return f"{name}={text}" if name in kwargs else text


def render(value: Any, depth: int = 0) -> str:
    """`value` as a person would want to read it: at most 6 x 6 entries, four digits, with its shape."""
    if isinstance(value, torch.Tensor):
        shape = " × ".join(map(str, value.shape)) or "a single number"
        with _printing(value):
            return f"{str(value.detach())[7:-1].split(', dtype')[0].replace(chr(10) + '       ', chr(10))}   ({shape})"
    if isinstance(value, (list, tuple)):
        if depth >= 2:
            return "(…)"
        return "(" + ", ".join(render(item, depth + 1) for item in value[:4]) + (", …)" if len(value) > 4 else ")")
    return repr(value)[:200]


def literal(value: torch.Tensor) -> str:
    """Python source that makes the tensor again."""
    if value.numel() > 200:
        return f"...  # {tuple(value.shape)}: too large to print"
    data = value.tolist()
    text = re.sub(r"(?<![\w'])(-?)(inf|nan)(?![\w'])", r"float('\1\2')", repr(data))
    dtype = "" if value.dtype in (torch.bool, torch.int64) else f", dtype={value.dtype}"
    suffix = f".reshape({tuple(value.shape)})" if value.numel() == 0 else ""
    return f"torch.tensor({text}{dtype}){suffix}"


@contextlib.contextmanager
def _printing(value: torch.Tensor) -> Iterator[None]:
    """Tensor printing with four digits and at most six rows and columns; powers of ten only for huge entries."""
    huge = value.is_floating_point() and bool((value[value.isfinite()].abs() >= 1e6).any())
    torch.set_printoptions(precision=4, threshold=36, edgeitems=3, linewidth=100, sci_mode=huge)
    try:
        yield
    finally:
        torch.set_printoptions(profile="default")
