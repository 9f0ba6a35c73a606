"""Answers by people who had seen the notebooks only, not the checks: the right ones get full marks, the wrong ones lose some.

Each file of ``strangers/`` is one answer, named ``<assignment>__<exercise>__<what it does>.py``; its first line says what is wrong or unusual.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from support import ROOT, exercise_of

from autograder.answers import filled_in, reference_answers
from autograder.course import read_course
from autograder.grader import make_grader
from autograder.notebook import parse_submission
from autograder.submissions import Found

FOLDER = Path(__file__).parent / "strangers"


def turns(kind: str) -> list[tuple[str, dict[str, Path]]]:
    """Notebooks to be graded: assignment, and at most one answer for each of its exercises."""
    waiting: dict[str, dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted((FOLDER / kind).glob("*.py")):
        assignment, exercise, _ = path.stem.split("__", 2)
        waiting[assignment][exercise].append(path)
    return [(assignment, {name: paths[turn] for name, paths in named.items() if turn < len(paths)})
            for assignment, named in waiting.items() for turn in range(max(map(len, named.values())))]


@pytest.fixture(scope="module")
def graders():
    """One grader an assignment, made when it is needed."""
    made = {}
    yield lambda name: made.get(name) or made.setdefault(name, make_grader(read_course(ROOT / "course.yaml"), ROOT, name, least="none"))
    for grader in made.values():
        grader.close()


def graded(graders, assignment: str, paths: dict[str, Path]):
    """The outcome of the reference's notebook with the strangers' answers in it."""
    release = (ROOT / "release" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8")
    answers = reference_answers(ROOT, assignment) | {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    return graders(assignment).grade("stranger", Found(Path(f"{assignment}.ipynb"), parse_submission(filled_in(release, answers).encode())))


def test_there_are_strangers_of_both_kinds_for_every_assignment():
    for kind in ("right", "wrong"):
        assert {assignment for assignment, _ in turns(kind)} == {a.name for a in read_course(ROOT / "course.yaml").assignments}


@pytest.mark.parametrize("assignment, paths", turns("right"))
def test_a_strangers_right_answer_gets_full_marks(graders, assignment, paths):
    outcome = graded(graders, assignment, paths)
    assert not [(e.name, c.name, c.message) for e in outcome.result.exercises for c in e.checks if c.outcome != "correct"]


@pytest.mark.parametrize("assignment, paths", turns("wrong"))
def test_a_strangers_wrong_answer_loses_marks_and_nothing_beside_it_does(graders, assignment, paths):
    outcome = graded(graders, assignment, paths)
    for name, path in paths.items():
        exercise = exercise_of(outcome, name)
        assert exercise.score < exercise.max_score and exercise.outcome in ("wrong", "raised"), path.stem
        failing = [check for check in exercise.checks if check.outcome != "correct"]
        assert all(check.message for check in failing) and any(check.hint for check in failing)
    assert all(e.score == e.max_score for e in outcome.result.exercises if e.name not in paths)
