"""A grader: everything one assignment needs, set up once, that turns a student's folder into a result and a notebook."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Collection

import torch

from autograder.assignment import public_exercises, with_staff_half
from autograder.autograded import notebook_text
from autograder.blueprint import Blueprint, blueprint_of, read_blueprint
from autograder.box import Box, BoxError, TemplateGone, require_level, start_box
from autograder.course import Course
from autograder.deck import DeckExercise, draw_deck
from autograder.deckfile import kept_deck
from autograder.engine import Graded, faulted, grade_notebook
from autograder.exercise import Exercise
from autograder.explore import PUBLIC_SEED
from autograder.notebook import Submission
from autograder.places import CourseError
from autograder.results import ExerciseResult, SubmissionResult, WrittenResult, submission_result, unreadable_result
from autograder.submissions import Found

DESK = Course.model_validate({"course": "desk", "seed": 0, "assignments": [{"name": "desk"}]})  # the limits on a student's own machine


@dataclass
class Outcome:
    """What grading one submission gave: the result, the autograded notebook as text, and in words how it was kept apart.

    `seconds`: how long each exercise's checks took, by the clock; `workers`: how many processes the student's code needed.
    """

    result: SubmissionResult
    notebook: str
    isolation: str
    seconds: dict[str, float] = field(default_factory=dict, compare=False)
    workers: int = field(default=0, compare=False)


@dataclass
class Grader:
    """Grades submissions of one assignment. Share it by forking: every process makes its own connection to the box.

    `standing`: by student, results of exercises that are not to be graded again.
    """

    course: Course
    blueprint: Blueprint
    decks: dict[str, DeckExercise]
    box: Box
    standing: dict[str, dict[str, ExerciseResult]] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """What a person is told at the start."""
        return self.box.sentence

    @property
    def sentences(self) -> tuple[str, ...]:
        """In words, all the ways in which submissions are kept apart: here one."""
        return (self.box.sentence,)

    def grade(self, student: str, found: Found) -> Outcome:
        """Grade what was found in a student's folder. Never raises for anything that a student can hand in.

        Raises `BoxError` when the box is gone; then nothing is known of the submission.
        """
        name = found.path.name if found.path else f"{self.blueprint.assignment}.ipynb"
        standing = self.standing.get(student, {})
        try:
            if found.submission is None:
                untouched = _result(self.blueprint, student, name, self._graded(Submission([])))
                return self._outcome(unreadable_result(student, name, found.reason, untouched), None)
            graded = self._graded(found.submission, without=standing)
        except TemplateGone as gone:
            raise BoxError(str(gone)) from gone
        except Exception as error:  # noqa: BLE001 - the grader's own fault is an outcome with a reason, not the end of the batch
            where = traceback.extract_tb(error.__traceback__)[-1]
            message = f"The grader failed ({type(error).__name__} in {Path(where.filename).name}, line {where.lineno}); this is not the student's fault."
            graded = faulted(self.blueprint, self.decks, found.submission or Submission([]), message)
        return self._outcome(_result(self.blueprint, student, name, graded, standing=standing), graded)

    def _outcome(self, result: SubmissionResult, graded: Graded | None) -> Outcome:
        text = notebook_text(self.blueprint, result, graded, isolation=self.box.sentence)
        return Outcome(result, text, self.box.sentence, graded.seconds if graded else {}, graded.workers if graded else 0)

    def _graded(self, submission: Submission, *, without: Collection[str] = ()) -> Graded:
        return grade_notebook(self.blueprint, submission, self.decks, self.box, self.course.limits, without=without)

    def close(self) -> None:
        """End the box."""
        self.box.close()


def _result(blueprint: Blueprint, student: str, name: str, graded: Graded, *,
            standing: dict[str, ExerciseResult] | None = None) -> SubmissionResult:
    answers = {cell.cell_id: cell.source.strip() for cell in graded.rebuilt.cells}
    written = [WrittenResult(name=cell.grade_id, max_score=cell.points, answered=answers.get(cell.cell_id) != cell.source.strip())
               for cell in blueprint.written]
    return submission_result(student, name, graded, written, order=blueprint.exercises, standing=standing)


def set_aside(blueprint: Blueprint, decks: dict[str, DeckExercise], student: str, reason: str, *, isolation: str) -> Outcome:
    """What is recorded of a submission that could not be graded, by the grader's fault: no points and the reason, tried again next time."""
    graded = faulted(blueprint, decks, Submission([]), reason[:1].upper() + reason[1:] + ".")
    result = _result(blueprint, student, f"{blueprint.assignment}.ipynb", graded).model_copy(update={"reason": reason, "remarks": []})
    return Outcome(result, notebook_text(blueprint, result, None, isolation=isolation), isolation)


def make_grader(course: Course, root: Path, assignment: str, *, least: str | None = None) -> Grader:
    """Set up a grader: exercises with their staff halves, the deck, and the box at the level the course accepts.

    Raises `CourseError` or `BoxError` with what to do about it.
    """
    blueprint, exercises = _read(course, root, assignment)
    box = start_box(course.limits)
    try:
        require_level(box, least or course.isolation.least)
        return Grader(course, blueprint, kept_deck(root, assignment, exercises, seed=course.seed), box)
    except BaseException:
        box.close()
        raise


def read_deck(course: Course, root: Path, assignment: str) -> tuple[Blueprint, dict[str, DeckExercise]]:
    """All that grading an assignment needs but the box. Raises `CourseError` with what to do about it."""
    blueprint, exercises = _read(course, root, assignment)
    return blueprint, kept_deck(root, assignment, exercises, seed=course.seed)


def _read(course: Course, root: Path, assignment: str) -> tuple[Blueprint, dict[str, Exercise]]:
    torch.set_num_threads(1)
    course.assignment(assignment)
    blueprint = read_blueprint(root, assignment)
    exercises = with_staff_half(assignment, root)
    _agree(blueprint, list(exercises), root)
    return blueprint, exercises


def _agree(blueprint: Blueprint, names: list[str], root: Path) -> None:
    if sorted(blueprint.exercises) != sorted(names):
        raise CourseError(f"{root}/release/{blueprint.assignment} is not up to date with the exercises; "
                          f"make it anew with: autograder build {blueprint.assignment}")


def make_desk_grader(assignment: str, submission: Submission, *, box: Box | None = None) -> Grader:
    """A grader without staff files, for a student's own machine: public checks, in the cells that the notebook has.

    box: one that was started before; by default a new one is.
    """
    torch.set_num_threads(1)
    blueprint = blueprint_of(submission, assignment, public_exercises(assignment))
    decks = {name: deck for name, deck in _desk_decks(assignment).items() if name in blueprint.exercises}
    return Grader(DESK, blueprint, decks, box or start_box(DESK.limits))


@lru_cache
def _desk_decks(assignment: str) -> dict[str, DeckExercise]:
    return draw_deck(public_exercises(assignment), seed=PUBLIC_SEED)
