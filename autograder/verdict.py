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
FAMILIAR = {  # what torch's commonest messages mean, in words of ours
    "leaf Variable that requires grad": "A tensor that needs a gradient was changed in place.",
    "modified by an inplace operation": "Something that the gradient needs was changed in place.",
    "does not require grad": "No gradient flows: something was detached on the way.",
    "must match the size of tensor": "Two tensors were combined whose shapes do not broadcast.",
    "cannot be multiplied": "Two tensors were multiplied as matrices whose inner sizes differ.",
    "Expected size for first two dimensions of batch2": "Two tensors were multiplied as matrices whose inner sizes differ.",
    "same dtype": "Tensors of different dtypes were combined.",
    "is invalid for input of size": "A tensor was reshaped to a shape of another number of entries.",
    "out of range": "An index or an axis was asked for that is not there.",
}
LATER = " Whether the inputs stay as they were is looked at once this is right."


@dataclass
class CheckVerdict:
    """What became of one check. `beside`: it fails for another reason than what it is there to see, and its hint leads elsewhere."""

    check: Check
    outcome: str
    message: str = ""
    counterexample: Counterexample | None = None
    beside: bool = False

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
        error, beside = _own_words(_of_nan(error, case)), _beside(check, error)
        sentence = error.sentence if hidden else str(error)
        return CheckVerdict(check, WRONG, f"{sentence}.{LATER if beside else ''}", example, beside)
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


def _of_nan(error: Mismatch, case: Case) -> Mismatch:
    """Of NaN no property holds: it is said in the property's place."""
    if error.kind == "truth" and case.calls and _has_nan(case.calls[-1][1]):
        return replace(error, kind="not_finite", sentence="the result holds NaN where numbers are expected", detail="")
    return error


def _beside(check: Check, error: Mismatch) -> bool:
    """Whether a check of what becomes of the arguments fails before that is looked at."""
    return "arguments_after" in check.body.__code__.co_names and not (error.what.endswith("after the call") or "changed by the call" in error.sentence)


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
        return f"{name} was raised{place}.{next((f' {words}' for part, words in FAMILIAR.items() if part in error.message), '')}"
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
