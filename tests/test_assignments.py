"""Every assignment through the real worker and judge: right answers, wrong ones and none at all."""

from __future__ import annotations

import contextlib
import io
from functools import lru_cache

import pytest
from support import ROOT, cells_of, exercise_of, release_of

from autograder.answers import answer_source
from autograder.assignment import with_staff_half
from autograder.places import assignments
from autograder.course import read_course
from autograder.exercise import Answer

EXERCISES = {name: with_staff_half(name, ROOT) for name in assignments()}


def turns(kind: str) -> list[tuple[str, int]]:
    """One notebook for the first of every exercise's answers of a kind, one for the second, and so on."""
    return [(a, turn) for a, exercises in EXERCISES.items() for turn in range(max(len(getattr(e, kind)) for e in exercises.values()))]


@pytest.fixture
def grade(grade_in):
    """Grade the reference notebook of an assignment with some answers replaced."""
    return grade_in


def _answers(assignment: str, kind: str, turn: int) -> dict[str, Answer]:
    return {name: getattr(e, kind)[turn] for name, e in EXERCISES[assignment].items() if turn < len(getattr(e, kind))}


def _sources(assignment: str, answers: dict[str, Answer]) -> dict[str, str]:
    return {name: answer_source(ROOT / "solutions" / assignment / f"{name}.py", answer.name, name) for name, answer in answers.items()}


def test_the_course_lists_every_assignment():
    assert sorted(a.name for a in read_course(ROOT / "course.yaml").assignments) == sorted(EXERCISES)


@pytest.mark.parametrize("assignment", EXERCISES)
def test_the_reference_gets_full_marks_and_the_release_nothing(grade, assignment):
    result = grade(assignment, {}).result
    assert result.score == result.max_score == sum(e.points for e in EXERCISES[assignment].values())
    assert result.outcome == "correct" and not any(e.remarks for e in result.exercises)
    untouched = grade(assignment, {}, untouched=True).result
    assert untouched.score == 0 and untouched.outcome == "not_attempted"


@pytest.mark.parametrize("assignment, turn", turns("alternates"))
def test_every_alternate_gets_full_marks(grade, assignment, turn):
    result = grade(assignment, _sources(assignment, _answers(assignment, "alternates", turn))).result
    assert not [(e.name, c.name, c.message) for e in result.exercises for c in e.checks if c.outcome != "correct"]


@lru_cache
def _locked_names(assignment: str) -> dict:
    """What the locked cells of a release define."""
    space: dict = {}
    for cell in cells_of(release_of(assignment)):
        if cell["metadata"]["autograder"]["kind"] == "given":
            exec("".join(cell["source"]), space)
    return space


def _reproduces(assignment: str, exercise, source: str) -> None:
    """The lines under the first failing public check can be pasted below the answer and run."""
    failed = [c for c in exercise.checks if c.outcome == "wrong" and c.visibility == "public" and c.counterexample is not None]
    for check in failed[:1]:
        lines = "\n".join(check.counterexample.reproduce)
        if "too large to print" not in lines:
            space = dict(_locked_names(assignment))
            with contextlib.redirect_stdout(io.StringIO()):
                exec(source, space)
                try:
                    exec(lines, space)
                except (RuntimeError, AttributeError):  # the mistake itself: no gradient, layers that .double() does not reach, no module at all
                    pass


@pytest.mark.parametrize("assignment, turn", turns("misconceptions"))
def test_every_misconception_loses_marks_and_is_told_by_name(grade, assignment, turn):
    wrong = _answers(assignment, "misconceptions", turn)
    outcome = grade(assignment, _sources(assignment, wrong))
    missed = {}
    for name, known in wrong.items():
        exercise = exercise_of(outcome, name)
        assert exercise.score < exercise.max_score and exercise.outcome in ("wrong", "raised"), (name, known.name)
        if known.tell not in (exercise.behaves_like or ""):
            missed[name, known.name] = exercise.behaves_like
        _reproduces(assignment, exercise, _sources(assignment, {name: known})[name])
    assert not missed
    assert all(e.score == e.max_score for e in outcome.result.exercises if e.name not in wrong)
