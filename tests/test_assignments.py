"""Every assignment through the real worker and judge: right answers, wrong ones and none at all."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
from support import ROOT, exercise_of

from autograder.answers import answer_source, filled_in, reference_answers
from autograder.assignment import assignments, with_staff_half
from autograder.course import read_course
from autograder.grader import make_grader
from autograder.notebook import parse_submission
from autograder.submissions import Found

EXERCISES = {name: with_staff_half(name, ROOT) for name in assignments()}
RIGHT = [(a, name, answer.name) for a, exercises in EXERCISES.items() for name, e in exercises.items() for answer in e.alternates]
WRONG = [(a, name, answer.name) for a, exercises in EXERCISES.items() for name, e in exercises.items() for answer in e.misconceptions]


@pytest.fixture(scope="module")
def grade():
    """Grade the reference notebook of an assignment with some answers replaced; returns the outcome."""
    made = {}

    def run(assignment: str, answers: dict[str, str], *, untouched: bool = False):
        if assignment not in made:
            made[assignment] = make_grader(read_course(ROOT / "course.yaml"), ROOT, assignment, least="none")
        text = filled_in(_release(assignment), {} if untouched else _references(assignment) | answers)
        return made[assignment].grade("student", Found(Path(f"{assignment}.ipynb"), parse_submission(text.encode())))
    yield run
    for grader in made.values():
        grader.close()


@lru_cache
def _release(assignment: str) -> str:
    return (ROOT / "release" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8")


@lru_cache
def _references(assignment: str) -> dict[str, str]:
    return reference_answers(ROOT, assignment)


def _source(assignment: str, name: str, answer: str) -> str:
    return answer_source(ROOT / "solutions" / assignment / f"{name}.py", answer, name)


def test_the_course_lists_every_assignment():
    assert sorted(a.name for a in read_course(ROOT / "course.yaml").assignments) == sorted(EXERCISES)


@pytest.mark.parametrize("assignment", EXERCISES)
def test_the_reference_gets_full_marks_and_the_release_nothing(grade, assignment):
    result = grade(assignment, {}).result
    assert result.score == result.max_score == sum(e.points for e in EXERCISES[assignment].values())
    assert result.outcome == "correct" and not any(e.remarks for e in result.exercises)
    untouched = grade(assignment, {}, untouched=True).result
    assert untouched.score == 0 and untouched.outcome == "not_attempted"


@pytest.mark.parametrize("assignment, name, right", RIGHT)
def test_every_alternate_gets_full_marks(grade, assignment, name, right):
    exercise = exercise_of(grade(assignment, {name: _source(assignment, name, right)}), name)
    assert exercise.score == exercise.max_score, [(c.name, c.message) for c in exercise.checks if c.outcome != "correct"]


@pytest.mark.parametrize("assignment, name, wrong", WRONG)
def test_every_misconception_loses_marks_and_is_told_by_name(grade, assignment, name, wrong):
    known = next(a for a in EXERCISES[assignment][name].misconceptions if a.name == wrong)
    outcome = grade(assignment, {name: _source(assignment, name, wrong)})
    exercise = exercise_of(outcome, name)
    assert exercise.score < exercise.max_score and exercise.outcome in ("wrong", "raised")
    assert exercise.behaves_like is not None and known.tell in exercise.behaves_like
    assert all(e.score == e.max_score for e in outcome.result.exercises if e.name != name)
