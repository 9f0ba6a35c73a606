"""The verdict on one check and on one exercise: an outcome, points, and the one format of a failure."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from autograder.case import Case
from autograder.compare import Mismatch
from autograder.counterexample import Counterexample, counterexample
from autograder.exercise import HIDDEN, Check, Exercise
from autograder.student import OverLimit, StudentRaised

CORRECT, WRONG, RAISED, LIMIT = "correct", "wrong", "raised", "limit"
NOT_ATTEMPTED, UNREADABLE, GRADER_FAULT = "not_attempted", "unreadable", "grader_fault"


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
        error = _own_words(error)
        sentence = error.sentence if hidden else str(error)
        return CheckVerdict(check, WRONG, f"{sentence}{_not_a_number(error, case)}.", example)
    return CheckVerdict(check, WRONG, f"The result could not be used as the check needs it ({type(error).__name__}).", example)


def _own_words(error: Mismatch) -> Mismatch:
    """The mismatch, with a sentence of its own where an input was changed."""
    if error.what.endswith("after the call") and error.kind in ("values", "not_finite", "shape"):
        what = error.what.removesuffix(" after the call")
        return replace(error, kind="changed", sentence=f"{what} was changed by the call: a line of yours writes into an input")
    return error


def in_general_words(check: Check, error: BaseException) -> CheckVerdict:
    """The verdict on a failure that no example shows: its kind, and no word or number from the student's process."""
    if isinstance(error, StudentRaised):
        return CheckVerdict(check, RAISED, "An exception was raised, on larger inputs than an example can show.")
    sentence = _own_words(error).sentence if isinstance(error, Mismatch) else "the result could not be used as the check needs it"
    return CheckVerdict(check, WRONG, f"{sentence}, on larger inputs than an example can show.")


def _not_a_number(error: Mismatch, case: Case) -> str:
    """What to add where a property fails because of NaN, of which no property holds."""
    if error.kind == "truth" and case.calls and _has_nan(case.calls[-1][1]):
        return " (the result holds NaN)"
    return ""


def _has_nan(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return bool(value.isnan().any())
    return isinstance(value, (list, tuple)) and any(map(_has_nan, value))


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
    if any(word in error.message for word in ("CUDA", "NVIDIA", "MPS")):
        remedy = " Not every machine has a graphics card: in place of .cuda() or a fixed device, take that of the input, device=X.device."
    return f"{name} was raised{place}{line}. It says: {_one_line(error.message)}{remedy}"


def _one_line(text: str, limit: int = 300) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[:limit] + " …"
