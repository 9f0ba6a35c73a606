"""The engine behind every door: rebuild a submission, run it in a worker, judge each exercise at its check cell.

A worker that dies or hangs is replaced and the cells before are run again; only what did it is lost. What a person is
shown of a student's process (messages, printed text, returned values) comes from a second, clean worker, which has met
no input of the deck: whatever the code remembers, it cannot carry a hidden input out. It is started only when needed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Collection, Iterator

from autograder.assignment import hidden_counts
from autograder.blueprint import Blueprint
from autograder.box import Box
from autograder.course import Limits
from autograder.deck import DeckExercise
from autograder.exercise import Exercise
from autograder.forbidden import forbidden_uses
from autograder.judge import Lost, judge
from autograder.notebook import Submission
from autograder.rebuild import STUDENT, Cell, Rebuilt, rebuild
from autograder.replies import CheckAnswers, Reply, reply_of
from autograder.run import Run, calls_request
from autograder.student import OverLimit
from autograder.verdict import GRADER_FAULT, LIMIT, NOT_ATTEMPTED, RAISED, CheckVerdict, ExerciseVerdict
from autograder.worker import WorkerDied

MAX_LOST = 3


@dataclass
class Graded:
    """A graded notebook: the rebuilt cells, a verdict for each exercise, and what each cell printed (by cell id).

    `seconds`: how long each exercise's checks took, by the clock; `workers`: how many processes were needed, replacements included.
    """

    rebuilt: Rebuilt
    exercises: list[ExerciseVerdict]
    outputs: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    errors: dict[str, tuple] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    workers: int = 0


@dataclass
class _Runs:
    """The run that meets the deck, and the clean one, which is brought to the same cell when it is needed."""

    main: Run
    clean: Run

    def shown(self) -> Run:
        """The clean run, with the cells that the main one has run."""
        started = time.monotonic()
        for cell in self.main.done[len(self.clean.done):]:
            if cell.cell_id in self.main.deadly:  # known to hang or kill: once is enough
                self.clean.deadly[cell.cell_id] = self.main.deadly[cell.cell_id]
                self.clean.errors[cell.cell_id] = self.main.errors[cell.cell_id]
                self.clean.done.append(cell)
            else:
                self.clean.cell(cell)
        self.main.deadline += time.monotonic() - started
        return self.clean

    def another(self) -> Run:
        """A run with the same cells, which has met nothing yet."""
        main = self.main
        return Run(main.box, main.limits, time.monotonic() + main.limits.cell_seconds, done=list(main.done), deadly=dict(main.deadly))

    def close(self) -> None:
        self.main.close()
        self.clean.close()


def grade_notebook(blueprint: Blueprint, submission: Submission, decks: dict[str, DeckExercise], box: Box, limits: Limits, *,
                   without: Collection[str] = ()) -> Graded:
    """Grade one submission: every exercise of the blueprint, but those in `without`, gets a verdict, whatever the notebook holds."""
    rebuilt = rebuild(blueprint, submission)
    graded = Graded(rebuilt, [])
    now = time.monotonic()
    runs = _Runs(Run(box, limits, now + limits.submission_seconds), Run(box, limits, now + 2 * limits.submission_seconds))
    try:
        verdicts = _run_cells(runs, graded, decks, without)
        _show_cells(runs, graded)
    finally:
        runs.close()
    graded.exercises = [verdicts[name] for name in blueprint.exercises if name not in without]
    graded.workers = runs.main.workers + runs.clean.workers
    return graded


def _run_cells(runs: _Runs, graded: Graded, decks: dict[str, DeckExercise], without: Collection[str]) -> dict[str, ExerciseVerdict]:
    verdicts: dict[str, ExerciseVerdict] = {}
    for cell in graded.rebuilt.cells:
        if cell.runs:
            runs.main.cell(cell)
        for name in cell.checks:
            if name not in without:
                started = time.monotonic()
                verdicts[name] = _check(runs, graded, decks[name])
                graded.seconds[name] = time.monotonic() - started
    return verdicts


def _show_cells(runs: _Runs, graded: Graded) -> None:
    """What the cells printed and raised; once a check has met the deck, from the clean run only."""
    run, met = runs.main, False
    for cell in graded.rebuilt.cells:
        if met and (runs.main.outputs.get(cell.cell_id) or cell.cell_id in runs.main.errors):
            run = runs.shown()
            break
        met = met or bool(cell.checks)
    for cell in graded.rebuilt.cells:
        if cell.cell_id in run.outputs:
            graded.outputs[cell.cell_id] = run.outputs[cell.cell_id]
        if cell.cell_id in run.errors:
            graded.errors[cell.cell_id] = run.errors[cell.cell_id][:5]
            if cell.cell_id in run.deadly:
                graded.rebuilt.remarks.append(f"{_capital(cell.label)} was stopped and left out: {run.deadly[cell.cell_id]}")
            elif cell.origin == STUDENT:
                graded.rebuilt.remarks.append(_error_remark(cell, run.errors[cell.cell_id]))


def _error_remark(cell: Cell, error: tuple) -> str:
    _, name, message, line, text, syntax = error
    place = f" at line {line}" if line > 0 else ""
    shown = f": `{text.strip()}`" if text.strip() else ""
    if syntax:
        return f"{_capital(cell.label)} is not valid Python ({name}{place}{shown}): {message}"
    if name == "PermissionError" and message.startswith("shell commands"):
        return f"{_capital(cell.label)}{place}{shown}: {' '.join(message.split())[:200]}."
    return f"{_capital(cell.label)} raised {name}{place}{shown}: {' '.join(message.split())[:200]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _check(runs: _Runs, graded: Graded, deck: DeckExercise) -> ExerciseVerdict:
    name = deck.exercise.name
    if not graded.rebuilt.attempted.get(name):
        verdict = _whole(deck, NOT_ATTEMPTED, "No answer was written for this exercise.")
    else:
        answers = _answers(runs.main, deck)
        undefined = _undefined(runs, graded, name, answers)
        if undefined:
            verdict = _whole(deck, LIMIT if name in runs.main.deadly else RAISED, undefined)
        else:
            verdict = judge(deck, answers, lambda operation: runs.main.call(deck.exercise, operation), _explaining(runs, deck.exercise),
                            _afresh(runs, deck.exercise), code="\0".join(source for _, source in _own_code(graded.rebuilt)))
            if all(check.outcome == RAISED and f"name {name!r} is not defined" in check.message for check in verdict.checks):  # at the desk
                verdict = _whole(deck, RAISED, _why_missing(runs, graded, name))
            else:
                verdict.remarks += [use.sentence for use in forbidden_uses(_own_code(graded.rebuilt), deck.exercise.forbids, name)]
    verdict.not_run = 0 if deck.exercise.reference is not None else hidden_counts(deck.exercise.assignment).get(name, 0)
    return verdict


def _explaining(runs: _Runs, exercise: Exercise):
    """Calls made to explain a failure: in the clean run, and not on the submission's time."""
    def ask(operation: tuple) -> tuple:
        started = time.monotonic()
        try:
            return runs.shown().call(exercise, operation)
        finally:
            runs.main.deadline += time.monotonic() - started
    return ask


def _afresh(runs: _Runs, exercise: Exercise):
    """A call made in a process of its own, with the cells run so far, and not on the submission's time."""
    def ask(operation: tuple) -> tuple:
        started = time.monotonic()
        run = runs.another()
        try:
            return run.call(exercise, operation)
        finally:
            run.close()
            runs.main.deadline += time.monotonic() - started
    return ask


def _own_code(rebuilt: Rebuilt) -> list[tuple[str, str]]:
    return [(cell.label, cell.source) for cell in rebuilt.cells if cell.origin == STUDENT and cell.cell_type == "code"]


def _whole(deck: DeckExercise, outcome: str, message: str) -> ExerciseVerdict:
    return ExerciseVerdict(deck.exercise, [CheckVerdict(check.check, outcome, message) for check in deck.checks])


def _undefined(runs: _Runs, graded: Graded, name: str, answers: list[CheckAnswers | Lost]) -> str:
    """The reason why the notebook defines no function of that name, or an empty string when it does."""
    missing = ("raised", "NameError", f"name {name!r} is not defined")
    present = [of_check for of_check in answers if not isinstance(of_check, Lost)]
    first = present[0].decoded()[:1] if present and not present[0].right else []
    return _why_missing(runs, graded, name) if first and first[0][:3] == missing else ""


def _why_missing(runs: _Runs, graded: Graded, name: str) -> str:
    """Why there is no function of that name: what its cell raised, where it raised something."""
    error = runs.shown().errors.get(name)
    if error is None:
        return f"After your cells have run, there is no function called {name}."
    cell = next(cell for cell in graded.rebuilt.cells if cell.cell_id == name)
    stopped = runs.main.deadly.get(name)
    return f"{_capital(cell.label)} was stopped: {stopped}" if stopped else _error_remark(cell, error)


def _answers(run: Run, deck: DeckExercise) -> list[CheckAnswers | Lost]:
    """The answers to the whole deck of one exercise: in one reply, or check by check where that takes long or kills the worker."""
    try:
        plan = deck.plan(0, {})
        have = {number: (reply, place) for numbers, reply in zip(plan, list(_replies(run, deck, plan, first=True, together=True)))
                for place, number in enumerate(numbers)}
    except OverLimit:
        return _answers_by_check(run, deck)
    return [CheckAnswers([have[number] for number in numbers]) for numbers in deck.numbers]


def _answers_by_check(run: Run, deck: DeckExercise) -> list[CheckAnswers | Lost]:
    """The same; a check that hangs or kills the worker (twice) is lost, the others are not."""
    answers: list[CheckAnswers | Lost] = []
    have: dict[int, tuple[Reply, int]] = {}
    died: set[int] = set()
    lost = 0
    while len(answers) < len(deck.numbers):
        start = len(answers)
        if lost >= MAX_LOST:
            answers.append(Lost(f"{MAX_LOST} checks in a row ran over a limit, so this one was not run."))
            continue
        plan = deck.plan(start, have)
        try:
            for numbers, reply in zip(plan, _replies(run, deck, plan, first=start == 0)):
                have |= {number: (reply, place) for place, number in enumerate(numbers)}
                lost = 0
                answers.append(CheckAnswers([have[number] for number in deck.numbers[len(answers)]]))
        except OverLimit as over:
            if isinstance(over, WorkerDied) and len(answers) not in died:
                died.add(len(answers))
                continue
            answers.append(Lost(_together(str(over), len(deck.numbers[len(answers)]))))
            lost += 1
    return answers


def _together(reason: str, calls: int) -> str:
    """The reason why a check was stopped, where it may be the sum of many calls that took too long."""
    return reason.replace("It took more than", f"Its {calls} calls together took more than", 1) if calls > 1 else reason


def _replies(run: Run, deck: DeckExercise, plan: list[list[int]], *, first: bool, together: bool = False) -> Iterator[Reply]:
    request = calls_request(deck.exercise, together=together)
    worker = run.ready()
    payload = deck.payload if first else deck.encoded(plan)
    raw = worker.ask_raw([request, payload], replies=len(plan), seconds=run.seconds(run.limits.check_seconds))
    for at, (numbers, reply) in enumerate(zip(plan, raw)):
        right = first and deck.exercise.reference is not None and deck.expected[at].agrees(reply)
        yield reply_of(reply, len(numbers), right=right)


def faulted(blueprint: Blueprint, decks: dict[str, DeckExercise], submission: Submission, message: str) -> Graded:
    """What is recorded when the grader itself failed on a submission."""
    rebuilt = rebuild(blueprint, submission)
    return Graded(rebuilt, [_whole(decks[name], GRADER_FAULT, message) for name in blueprint.exercises])


