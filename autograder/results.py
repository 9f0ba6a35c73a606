"""The results document: what ``--json`` writes, as pydantic models, and its published JSON schema."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Literal, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from autograder import __version__
from autograder.engine import Graded
from autograder.verdict import CORRECT, GRADER_FAULT, LIMIT, NOT_ATTEMPTED, RAISED, UNREADABLE, WRONG, CheckVerdict, ExerciseVerdict

SCHEMA = "autograder-results/1"
SCHEMA_FILE = Path(__file__).parent / "results.schema.json"
Outcome = Literal["correct", "wrong", "raised", "limit", "not_attempted", "unreadable", "grader_fault"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", serialize_by_alias=True)


class MapsResult(_Model):
    """A part of what was got and expected, 6 x 6 numbers at most in four digits: of the matrix at `index`, from `row` and `column` on;
    `worst` says where in it they differ most."""

    index: list[int]
    row: int
    column: int
    worst: list[int]
    got: list[list[str]]
    expected: list[list[str]]


class CounterexampleResult(_Model):
    """The smallest failing input: the call, its arguments as text, `what` was expected and got, the whole `returned` value where that
    is something else, and lines that reproduce it. `maps` is there where a picture of both helps, for public checks only."""

    call: str
    inputs: dict[str, str]
    what: str
    returned: str | None
    expected: str | None
    got: str | None
    differs_at: list[int] | None
    reproduce: list[str]
    maps: MapsResult | None = None


class CheckResult(_Model):
    """One check of one submission."""

    name: str
    title: str
    visibility: Literal["public", "hidden"]
    outcome: Outcome
    points: float
    max_points: float
    message: str
    hint: str
    counterexample: CounterexampleResult | None


class ExerciseResult(_Model):
    """One exercise of one submission. `hidden_checks_not_run` counts those that this run did not have."""

    name: str
    title: str
    score: float
    max_score: float
    outcome: Outcome
    behaves_like: str | None
    remarks: list[str]
    hidden_checks_not_run: int
    checks: list[CheckResult]


class WrittenResult(_Model):
    """A question that a person grades."""

    name: str
    max_score: float
    answered: bool


class LateResult(_Model):
    """What lateness costs: `penalty` points, `percent` of `total` (all points given so far, a person's included); `reason` is the sentence.

    `due` is the date that counts, after an extension where there is one. A day begun counts as a day.
    """

    due: str
    handed_in: str
    seconds_late: float
    days_late: int
    percent: float
    total: float
    penalty: float
    total_after: float
    reason: str


class SubmissionResult(_Model):
    """One submission. `score` counts what was graded by machine, before `late`, which is there for late work where the course has a policy;
    `reason` says in one line why the score is what it is."""

    student: str
    notebook: str
    score: float
    max_score: float
    outcome: Outcome
    reason: str
    remarks: list[str]
    written: list[WrittenResult]
    exercises: list[ExerciseResult]
    late: LateResult | None = None


class Marks(_Model):
    """What a later run is told apart by: marks of the kit's and exercises' files, of these with the course's seed, of all that a grade
    depends on but the submission (also level, limits and release), and of the bytes of each student's submission."""

    kit: str
    seeded: str
    all: str
    submissions: dict[str, str]


class Results(_Model):
    """The whole document. `canaries`: whether each harmless attack, tried at start, was stopped; `missing`: why the level is no better."""

    schema_: Literal["autograder-results/1"] = Field(SCHEMA, alias="schema")
    assignment: str
    kit_version: str = __version__
    isolation: str
    missing: str = ""
    canaries: dict[str, bool] = {}
    marks: Marks | None = None
    submissions: list[SubmissionResult]


def submission_result(student: str, notebook: str, graded: Graded, written: list[WrittenResult], *,
                      order: Sequence[str] = (), standing: Mapping[str, ExerciseResult] | None = None) -> SubmissionResult:
    """The result of one graded submission. `standing` has the results of exercises that were not graded now; `order` is that of all."""
    exercises = [exercise_result(verdict) for verdict in graded.exercises]
    if standing:
        by_name = {**standing, **{exercise.name: exercise for exercise in exercises}}
        exercises = [by_name[name] for name in order]
    return SubmissionResult(student=student, notebook=notebook, score=sum(e.score for e in exercises),
                            max_score=sum(e.max_score for e in exercises), outcome=_overall(exercises), reason=_reason(exercises, graded.rebuilt.another),
                            remarks=graded.rebuilt.remarks, written=written, exercises=exercises)


def unreadable_result(student: str, notebook: str, reason: str, untouched: SubmissionResult) -> SubmissionResult:
    """The result of a submission that could not be read: nothing in every exercise, and why."""
    checks = {"outcome": UNREADABLE, "message": "The notebook could not be read.", "points": 0.0, "counterexample": None}
    exercises = [e.model_copy(update={"outcome": UNREADABLE, "score": 0.0, "checks": [c.model_copy(update=checks) for c in e.checks]})
                 for e in untouched.exercises]
    return untouched.model_copy(update={"student": student, "notebook": notebook, "score": 0.0, "outcome": UNREADABLE,
                                        "reason": reason, "remarks": [], "exercises": exercises})


def exercise_result(verdict: ExerciseVerdict) -> ExerciseResult:
    """The result of one exercise."""
    checks = [_check_result(check) for check in verdict.checks]
    return ExerciseResult(name=verdict.exercise.name, title=verdict.exercise.title, score=verdict.score,
                          max_score=sum(c.max_points for c in checks), outcome=verdict.outcome, behaves_like=verdict.behaves_like,
                          remarks=verdict.remarks, hidden_checks_not_run=verdict.not_run, checks=checks)


def _check_result(verdict: CheckVerdict) -> CheckResult:
    check, example = verdict.check, verdict.counterexample
    return CheckResult(name=check.name, title=check.title, visibility=check.visibility, outcome=verdict.outcome,
                       points=verdict.points, max_points=check.points, message=verdict.message, hint="" if verdict.beside else check.hint,
                       counterexample=None if example is None else CounterexampleResult.model_validate(asdict(example)))


def _overall(exercises: list[ExerciseResult]) -> Outcome:
    outcomes = {exercise.outcome for exercise in exercises}
    if outcomes == {NOT_ATTEMPTED}:
        return NOT_ATTEMPTED
    order = (GRADER_FAULT, LIMIT, RAISED, WRONG, NOT_ATTEMPTED, CORRECT)
    return next((outcome for outcome in order if outcome in outcomes), CORRECT)


_SAY = {WRONG: "wrong", RAISED: "raised an error", LIMIT: "ran over a limit", NOT_ATTEMPTED: "not attempted",
        GRADER_FAULT: "could not be graded (the grader's fault)"}


def _reason(exercises: list[ExerciseResult], another: str) -> str:
    wrong = [exercise for exercise in exercises if exercise.outcome != CORRECT]
    if not wrong:
        return f"all {len(exercises)} exercises correct"
    if all(exercise.outcome == NOT_ATTEMPTED for exercise in exercises):
        return f"this is the notebook of {another}" if another else "nothing was attempted"
    said = [f"{e.name}: {_SAY[e.outcome]}" + (f", behaves like {e.behaves_like}" if e.behaves_like else "") for e in wrong if e.outcome != NOT_ATTEMPTED]
    untouched = [e.name for e in wrong if e.outcome == NOT_ATTEMPTED]
    said += [f"{', '.join(untouched)}: {_SAY[NOT_ATTEMPTED]}"] if untouched else []
    return f"{len(exercises) - len(wrong)} of {len(exercises)} exercises correct; " + "; ".join(said)


def schema_text() -> str:
    """The JSON schema of the document, as published in the package."""
    return json.dumps(Results.model_json_schema(by_alias=True), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
