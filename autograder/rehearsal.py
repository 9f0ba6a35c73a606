"""A rehearsal: an assignment graded through the real path as a class would be, before any student sees it."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

import torch

from autograder.answers import answer_source, filled_in, reference_answers
from autograder.assignment import with_staff_half
from autograder.course import Course
from autograder.deck import DeckExercise, draw_exercise
from autograder.exercise import HIDDEN, Exercise
from autograder.explore import PUBLIC_SEED
from autograder.grader import Grader, make_grader
from autograder.notebook import parse_submission
from autograder.results import CheckResult, SubmissionResult
from autograder.submissions import Found

RUNS = 10
TOLD = 3  # wrong answers of each exercise whose hidden checks' messages are read


@dataclass(frozen=True)
class _Stage:
    """What a rehearsal of one assignment needs."""

    root: Path
    assignment: str
    grader: Grader
    exercises: dict[str, Exercise]
    release: str
    references: dict[str, str]

    def graded(self, text: str) -> SubmissionResult:
        """The result of one notebook."""
        return self.grader.grade("rehearsal", Found(Path(f"{self.assignment}.ipynb"), parse_submission(text.encode()))).result

    def answered(self, wrong: dict[str, str]) -> SubmissionResult:
        """The result of the reference's notebook with the named misconceptions in it."""
        sources = {name: answer_source(self.root / "solutions" / self.assignment / f"{name}.py", known, name) for name, known in wrong.items()}
        return self.graded(filled_in(self.release, self.references | sources))


def rehearse(root: Path, course: Course, assignment: str) -> list[str]:
    """Grade an untouched release, an empty notebook, the same notebook ten times and wrong answers; returns what is not as it must be."""
    exercises = with_staff_half(assignment, root)
    grader = make_grader(course, root, assignment, least="none")
    release = (root / "release" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8")
    try:
        stage = _Stage(root, assignment, grader, exercises, release, reference_answers(root, assignment))
        return [*_untouched(stage), *_alike(stage), *_silent(stage)]
    finally:
        grader.close()


def _untouched(stage: _Stage) -> Iterator[str]:
    """Nothing is earned by nothing, and all by the reference."""
    empty = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    for text, what in ((stage.release, "the release as it is"), (empty, "an empty notebook")):
        if score := stage.graded(text).score:
            yield f"release/{stage.assignment}: {what} gets {score:g} points; a check passes without an answer: make prove"
    whole = stage.answered({})
    for exercise in whole.exercises:
        if exercise.score < exercise.max_score:
            yield (f"solutions/{stage.assignment}/{exercise.name}.py: the reference gets {exercise.score:g} of {exercise.max_score:g} through the worker; "
                   f"see why with: autograder check on a notebook with it, then mend it")


def _alike(stage: _Stage) -> Iterator[str]:
    """The same notebook gets the same result each time."""
    wrong = {name: exercise.misconceptions[0].name for name, exercise in itertools.islice(stage.exercises.items(), 0, None, 2) if exercise.misconceptions}
    results = {stage.answered(wrong).model_dump_json() for _ in range(RUNS)}
    if len(results) > 1:
        yield (f"release/{stage.assignment}: {RUNS} runs of one notebook gave {len(results)} different results; look for chance or time in the checks of "
               f"{', '.join(wrong)}")


def _silent(stage: _Stage) -> Iterator[str]:
    """What a hidden check says of a wrong answer holds no hidden input and no expected value."""
    told = {name: _telling_answers(exercise) for name, exercise in stage.exercises.items()}
    secrets = {name: _hidden_numbers(deck) for name, deck in stage.grader.decks.items()}
    for turn in range(TOLD):
        result = stage.answered({name: known[turn] for name, known in told.items() if turn < len(known)})
        for exercise in result.exercises:
            for check in exercise.checks:
                if check.visibility == HIDDEN and (found := _shown(check, secrets[exercise.name])):
                    yield (f"solutions/{stage.assignment}/{exercise.name}.py: the message of {check.name} shows {found}; "
                           "let it compare with assert_close, assert_equal or assert_true only")


def _telling_answers(exercise: Exercise) -> list[str]:
    """Misconceptions to be told of, those first that a hidden check is there for."""
    return [known.name for known in sorted(exercise.misconceptions, key=lambda known: known.caught_by.visibility != HIDDEN)][:TOLD]


def _hidden_numbers(deck: DeckExercise) -> set[str]:
    """The tensors that only hidden checks draw, as compact text: those of four numbers and more that are no small whole ones.

    The simplest inputs are drawn from every seed; what the public seed gives too is no secret.
    """
    hidden = {one for check in deck.checks if check.check.visibility == HIDDEN for case in check.cases for one in _tensors(case.drawn)}
    shown = {one for one_deck in (deck, draw_exercise(deck.exercise, seed=PUBLIC_SEED)) for check in one_deck.checks
             if one_deck is not deck or check.check.visibility != HIDDEN for case in check.cases for one in _tensors(case.drawn)}
    return hidden - shown


def _tensors(value: Any) -> Iterator[str]:
    if isinstance(value, torch.Tensor):
        if value.numel() >= 4 and value.is_floating_point() and bool((value % 1 != 0).any()):
            yield _compact(value.tolist())
    elif isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item)


def _compact(value: Any) -> str:
    return "".join(str(value).split())


def _shown(check: CheckResult, secret: set[str]) -> str:
    """What of the secret a check's result shows, in words; empty where it shows nothing."""
    example = check.counterexample
    if example is not None and (example.expected is not None or example.got is not None):
        return "an expected value"
    text = _compact(check.model_dump_json())
    return "a hidden input" if any(one in text for one in secret) else ""
