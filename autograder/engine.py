"""The engine behind every door: rebuild a submission, run it in a worker, judge each exercise at its check cell.

A worker that dies or hangs is replaced and the cells before are run again; only what did it is lost.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from typing import Any, Iterator

from autograder.assignment import hidden_counts
from autograder.blueprint import Blueprint
from autograder.box import Box, Worker
from autograder.course import Limits
from autograder.deck import DeckExercise
from autograder.forbidden import forbidden_uses
from autograder.judge import Lost, judge
from autograder.notebook import Submission
from autograder.rebuild import STUDENT, Cell, Rebuilt, rebuild
from autograder.student import OverLimit
from autograder.untrusted import wire
from autograder.verdict import GRADER_FAULT, NOT_ATTEMPTED, RAISED, CheckVerdict, ExerciseVerdict

MAX_LOST = 3
MAX_WORKERS = 40


@dataclass
class Graded:
    """A graded notebook: the rebuilt cells, a verdict for each exercise, and what each cell printed (by cell id)."""

    rebuilt: Rebuilt
    exercises: list[ExerciseVerdict]
    outputs: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    errors: dict[str, tuple] = field(default_factory=dict)


@dataclass
class _Run:
    """The state of one submission's run: the worker, the cells that were run so far, and those that must not be again."""

    box: Box
    limits: Limits
    deadline: float
    worker: Worker | None = None
    workers: int = 0
    done: list[Cell] = field(default_factory=list)
    deadly: dict[str, str] = field(default_factory=dict)

    def seconds(self, most: float) -> float:
        """`most`, or what is left of the submission's time. Raises `OverLimit` when nothing is."""
        left = self.deadline - time.monotonic()
        if left <= 0 or self.workers > MAX_WORKERS:
            raise OverLimit("The notebook as a whole ran over its time limit; this was not run any more.")
        return min(most, left)

    def ready(self) -> Worker:
        """A live worker in which all cells so far have been run."""
        while self.worker is None or self.worker.closed:
            self.seconds(1)
            self.worker, self.workers = self.box.worker(), self.workers + 1
            for cell in self.done:
                if cell.cell_id not in self.deadly:
                    try:
                        self._send(cell)
                    except OverLimit as over:  # it did not die the first time, and does now
                        self.deadly[cell.cell_id] = str(over)
                        break
        return self.worker

    def _send(self, cell: Cell) -> dict[str, Any]:
        request = wire.encode({"do": "cell", "source": cell.source})
        reply, = self.worker.ask([request], replies=1, seconds=self.seconds(self.limits.cell_seconds))
        return checked_reply(reply)

    def cell(self, cell: Cell) -> dict[str, Any] | None:
        """Run one cell; None when it hung or killed the worker."""
        try:
            self.ready()
            reply = self._send(cell)
        except OverLimit as over:
            self.deadly[cell.cell_id] = str(over)
            reply = None
        self.done.append(cell)
        return reply

    def close(self) -> None:
        if self.worker is not None:
            self.worker.kill()


def checked_reply(reply: Any) -> dict[str, Any]:
    """A cell's reply with nothing in it but what belongs there; it comes from the student's process."""
    clean: dict[str, Any] = {"error": None, "syntax": False, "outputs": []}
    if not isinstance(reply, dict):
        return clean
    error = reply.get("error")
    if isinstance(error, tuple) and len(error) == 5 and list(map(type, error)) == [str, str, str, int, str]:
        clean["error"] = error
    clean["syntax"] = reply.get("syntax") is True
    for output in reply.get("outputs") if isinstance(reply.get("outputs"), list) else []:
        if isinstance(output, dict) and all(type(v) is str for v in output.values()) and {"kind", "text"} <= output.keys():
            clean["outputs"].append(output)
    return clean


def checked_answer(answer: Any) -> tuple:
    """An answer to an operation with the form that the judge relies on; it comes from the student's process."""
    if isinstance(answer, tuple) and answer:
        if answer[0] == "value" and len(answer) == 2:
            return answer
        if answer[0] in ("unsupported", "limit") and len(answer) == 2 and type(answer[1]) is str:
            return answer[0], answer[1][:200]
        if answer[0] == "raised" and list(map(type, answer[1:])) == [str, str, int, str]:
            return "raised", answer[1][:60], answer[2][:500], answer[3], answer[4][:200]
    return "unsupported", "something that is not an answer"


def grade_notebook(blueprint: Blueprint, submission: Submission, decks: dict[str, DeckExercise], box: Box, limits: Limits, *,
                   seed: int) -> Graded:
    """Grade one submission: every exercise of the blueprint gets a verdict, whatever the notebook holds."""
    rebuilt = rebuild(blueprint, submission)
    graded = Graded(rebuilt, [])
    run = _Run(box, limits, time.monotonic() + limits.submission_seconds)
    try:
        verdicts = _run_cells(run, graded, decks, seed)
    finally:
        run.close()
    graded.exercises = [verdicts[name] for name in blueprint.exercises]
    return graded


def _run_cells(run: _Run, graded: Graded, decks: dict[str, DeckExercise], seed: int) -> dict[str, ExerciseVerdict]:
    verdicts: dict[str, ExerciseVerdict] = {}
    for cell in graded.rebuilt.cells:
        if cell.runs:
            _run_cell(run, graded, cell)
        if cell.checks:
            verdicts[cell.checks] = _check(run, graded, decks[cell.checks], seed)
    return verdicts


def _run_cell(run: _Run, graded: Graded, cell: Cell) -> None:
    reply = run.cell(cell)
    if reply is None:
        graded.errors[cell.cell_id] = ("raised", "Stopped", run.deadly[cell.cell_id], -1, "")
        graded.rebuilt.remarks.append(f"{_capital(cell.label)} was stopped and left out: {run.deadly[cell.cell_id]}")
        return
    graded.outputs[cell.cell_id] = reply["outputs"]
    if reply["error"] is not None:
        graded.errors[cell.cell_id] = reply["error"]
        if cell.origin == STUDENT:
            graded.rebuilt.remarks.append(_error_remark(cell, reply["error"], reply["syntax"]))


def _error_remark(cell: Cell, error: tuple, syntax: bool) -> str:
    _, name, message, line, text = error
    place = f" at line {line}" if line > 0 else ""
    shown = f": `{text.strip()}`" if text.strip() else ""
    if syntax:
        return f"{_capital(cell.label)} is not valid Python ({name}{place}{shown}): {message}"
    return f"{_capital(cell.label)} raised {name}{place}{shown}: {' '.join(message.split())[:200]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _check(run: _Run, graded: Graded, deck: DeckExercise, seed: int) -> ExerciseVerdict:
    name = deck.exercise.name
    if not graded.rebuilt.attempted.get(name):
        verdict = _whole(deck, NOT_ATTEMPTED, "Nothing was handed in for this exercise.")
    else:
        answers = _answers(run, deck)
        undefined = _undefined(graded, name, answers)
        verdict = _whole(deck, RAISED, undefined) if undefined else judge(deck, answers, _live(run, name), seed=seed)
        verdict.remarks += [use.sentence for use in forbidden_uses(_sources(graded.rebuilt, name), deck.exercise.forbids)]
    missing = hidden_counts(deck.exercise.assignment).get(name, 0)
    verdict.not_run = 0 if deck.exercise.reference is not None else missing
    return verdict


def _sources(rebuilt: Rebuilt, name: str) -> list[str]:
    return [cell.source for cell in rebuilt.cells if cell.cell_id == name or cell.cell_id.startswith(f"{name}-copy")
            or cell.cell_id.startswith("own-") and cell.cell_type == "code"]


def _whole(deck: DeckExercise, outcome: str, message: str) -> ExerciseVerdict:
    return ExerciseVerdict(deck.exercise, [CheckVerdict(check.check, outcome, message) for check in deck.checks])


def _undefined(graded: Graded, name: str, answers: list[CheckAnswers | Lost]) -> str:
    """The reason why the notebook defines no function of that name, or an empty string when it does."""
    missing = ("raised", "NameError", f"name {name!r} is not defined")
    present = [of_check for of_check in answers if not isinstance(of_check, Lost)]
    first = present[0].decoded()[:1] if present else []
    if not first or first[0][:3] != missing:
        return ""
    error = graded.errors.get(name)
    if error is None:
        return f"After your cells have run, there is no function called {name}."
    cell = next(cell for cell in graded.rebuilt.cells if cell.cell_id == name)
    return _error_remark(cell, error, error[1] in ("SyntaxError", "IndentationError", "TabError"))


@dataclass
class Reply:
    """A worker's reply to some calls: its bytes, decoded (and checked) at most once."""

    payload: bytearray
    count: int
    digest: bytes
    _decoded: list[tuple] | None = None

    def decoded(self) -> list[tuple]:
        """One answer for each call; what is not an answer is marked as such."""
        if self._decoded is None:
            try:
                value = wire.decode(self.payload)
            except wire.WireError:
                value = None
            self._decoded = _complete(value, self.count)
        return self._decoded


@dataclass(frozen=True)
class CheckAnswers:
    """The answers to one check, each somewhere in a reply that other checks may share."""

    places: list[tuple[Reply, int]]

    @property
    def digest(self) -> bytes:
        """Stands for the bytes of all replies that hold an answer."""
        replies = {id(reply): reply.digest for reply, _ in self.places}
        return hashlib.blake2b(b"".join(replies.values()), digest_size=16).digest()

    def decoded(self) -> list[tuple]:
        """One answer for each recorded call of the check."""
        return [reply.decoded()[place] for reply, place in self.places]


def _answers(run: _Run, deck: DeckExercise) -> list[CheckAnswers | Lost]:
    """The answers to the whole deck of one exercise; a check that hangs or kills the worker is lost, the others are not."""
    answers: list[CheckAnswers | Lost] = []
    have: dict[int, tuple[Reply, int]] = {}
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
            answers.append(Lost(str(over)))
            lost += 1
    return answers


def _replies(run: _Run, deck: DeckExercise, plan: list[list[int]], *, first: bool) -> Iterator[Reply]:
    request = wire.encode({"do": "calls", "name": deck.exercise.name})
    worker = run.ready()
    payload = deck.payload if first else deck.encoded(plan)
    raw = worker.ask_raw([request, payload], replies=len(plan), seconds=run.seconds(run.limits.check_seconds))
    for numbers, reply in zip(plan, raw):
        yield Reply(reply, len(numbers), hashlib.blake2b(reply, digest_size=16).digest())


def _complete(reply: Any, count: int) -> list[tuple]:
    reply = reply if isinstance(reply, list) and len(reply) == count else [None] * count
    return [checked_answer(answer) for answer in reply]


def _live(run: _Run, name: str):
    request = wire.encode({"do": "calls", "name": name})

    def ask(operation: tuple) -> tuple:
        worker = run.ready()
        reply, = worker.ask([request, wire.encode([[operation]])], replies=1, seconds=run.seconds(run.limits.check_seconds))
        return _complete(reply, 1)[0]

    return ask


def faulted(blueprint: Blueprint, decks: dict[str, DeckExercise], submission: Submission, message: str) -> Graded:
    """What is recorded when the grader itself failed on a submission."""
    rebuilt = rebuild(blueprint, submission)
    return Graded(rebuilt, [_whole(decks[name], GRADER_FAULT, message) for name in blueprint.exercises])


