"""Judging one exercise: from a submission's answers to verdicts, the smallest failing input and what the answer behaves like."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, replace
from typing import Iterable, Protocol

from autograder.behaviour import explained, name_behaviour
from autograder.case import Case
from autograder.deck import DeckCheck, DeckExercise, replay
from autograder.exercise import Answer, Check
from autograder.explore import PUBLIC_SEED, Failure, first_failure, seed_of, smallest_failure
from autograder.failing import desk_cases, failing_cases
from autograder.repeats import SENTENCE, differs_when_first, differs_when_repeated
from autograder.student import Ask, OverLimit, Student
from autograder.tells import recognised
from autograder.untrusted.operations import perform
from autograder.verdict import CORRECT, LIMIT, CheckVerdict, ExerciseVerdict, in_general_words, judged

SHRINK_CALLS = 400
SHRINK_SECONDS = 3.0
SEEDS_TRIED = 8
REMEMBERED = 200  # failures of one exercise, the latest


@dataclass(frozen=True)
class Lost:
    """The answers to one check that never came, and why (a sentence for the student)."""

    reason: str


class Answers(Protocol):
    """The answers to one check: decoded when they are needed. `digest` stands for the bytes that came; `right`: they are the reference's."""

    digest: bytes
    right: bool

    def decoded(self) -> list[tuple]:
        """One answer for each recorded call."""


def judge(deck: DeckExercise, answers: list[Answers | Lost], live: Ask, explain: Ask, fresh: Ask | None = None, *, code: str = "") -> ExerciseVerdict:
    """The verdict on one exercise. `answers` holds, for each check of the deck, the answers to its recorded calls.

    `live` makes the calls that the deck could not foresee. `explain` is asked for all that a person is shown; the process behind
    it has met no input of the deck. `fresh` makes a call in a new process, in which it is the first, and nothing of its answer is shown.
    A reply that says what the reference says passes (see `agreement`), and one whose very bytes passed before passes again: the verdict
    is a function of the answers, unless a call is made live. And where
    the same `code` (all that the student wrote, where it is known) gave the same failing answers before, its smallest input is told again.
    """
    verdict = ExerciseVerdict(deck.exercise, [])
    remarks: set[str] = set()
    failed: dict[int, _Told] = {}
    for number, (check, given) in enumerate(zip(deck.checks, answers)):
        if isinstance(given, Lost):
            verdict.checks.append(CheckVerdict(check.check, LIMIT, given.reason))
            continue
        known = () if given.right else deck.passed.get((number, given.digest))
        if known is not None:
            remarks.update(known)
            verdict.checks.append(CheckVerdict(check.check, CORRECT))
            continue
        counted, own = _Counted(live), set()
        failure = _failure(deck, check, given.decoded(), counted, own)
        remarks |= own
        if failure is not None:
            failed[number] = _told_once(deck, check, (number, given.digest, code), failure, explain)
            verdict.checks.append(failed[number].verdict)
        else:
            verdict.checks.append(CheckVerdict(check.check, CORRECT))
            if not counted.calls:
                deck.passed[number, given.digest] = tuple(own)
    verdict.remarks = sorted(remarks)
    if failed:
        if deck.exercise.reference is None:
            name_behaviour(verdict, _recognised(deck, failed, explain))
        else:
            _name_behaviour(deck, answers, set(failed), verdict)
        if verdict.behaves_like is None:
            _try_again(list(failed.values()), explain, fresh)
    return verdict


@dataclass
class _Counted:
    """An `Ask` that counts its calls."""

    ask: Ask
    calls: int = 0

    def __call__(self, operation: tuple) -> tuple:
        self.calls += 1
        return self.ask(operation)


def _failure(deck: DeckExercise, check: DeckCheck, answers: list[tuple], live: Ask, remarks: set[str]) -> tuple[BaseException, Case] | None:
    """What the first case raises that does not hold. The others would lose no more points, and a person is shown a smaller one anyway."""
    start = 0
    for index, case in enumerate(check.cases):
        stop = start + len(case.operations)
        try:
            error, ran = replay(check, index, deck.exercise, answers[start:stop], live)
        except OverLimit as over:
            return over, Case()
        remarks |= ran.remarks
        if error is not None:
            return error, ran
        start = stop
    return None


@dataclass
class _Told:
    """The verdict on a failing check; `case` is the one that it is shown on, `drawn` one of the deck that fails."""

    verdict: CheckVerdict
    case: Case | None
    drawn: Case


def _try_again(told: list[_Told], explain: Ask, fresh: Ask | None) -> None:
    """Say so where equal calls give different results: a call is repeated in the same process, then in a new one."""
    with contextlib.suppress(OverLimit):
        differ = [one for one in told if one.case is not None and differs_when_repeated(one.case, explain)]
        if not differ and fresh is not None:
            differ = [one for one in told[:1] if differs_when_first(one.case or one.drawn, fresh)]
        for one in told if differ else ():
            one.verdict.message += f" {SENTENCE}"


def _told_once(deck: DeckExercise, check: DeckCheck, key: tuple[int, bytes, str], failure: tuple[BaseException, Case], explain: Ask) -> _Told:
    """As `_told`, and remembered where the code is known: a class has copies, and the same student comes again."""
    told = deck.told.get(key) if key[2] else None
    if told is None:
        told = _told(deck, check, *failure, explain)
        if key[2]:
            deck.told[key] = told
            if len(deck.told) > REMEMBERED:
                del deck.told[next(iter(deck.told))]
    return replace(told, verdict=replace(told.verdict))  # sentences are added to it later


def _told(deck: DeckExercise, check: DeckCheck, error: BaseException, drawn: Case, explain: Ask) -> _Told:
    """The verdict with the smallest failing input: a small case of the build, else one shrunk from the public seed.

    Where neither fails (which takes an unusual answer), the failure of the deck is told in the grader's words alone.
    """
    if isinstance(error, OverLimit):
        return _Told(CheckVerdict(check.check, LIMIT, str(error)), None, drawn)
    ask = _bounded(explain)
    try:
        cases = deck.exercise.small_cases.get(check.check.name, [])
        known = first_failure(check.check, Student(ask, deck.exercise), cases)
    except (_Spent, OverLimit):
        known = None
    for number in range(SEEDS_TRIED):
        known = known or _shrink(deck, check.check, ask, number)
    if known is not None and not isinstance(known.error, OverLimit):
        return _Told(judged(deck.exercise, check.check, known.error, known.case), known.case, drawn)
    return _Told(in_general_words(check.check, error), None, drawn)


class _Spent(BaseException):
    """The calls allowed for shrinking are used up."""


def _bounded(explain: Ask) -> Ask:
    """`explain` for as many calls and seconds as an explanation may take."""
    left, deadline = SHRINK_CALLS, time.monotonic() + SHRINK_SECONDS

    def ask(operation: tuple) -> tuple:
        nonlocal left
        left -= 1
        if left < 0 or time.monotonic() > deadline:
            raise _Spent
        return explain(operation)

    return ask


def _shrink(deck: DeckExercise, check: Check, ask: Ask, number: int) -> Failure | None:
    """The smallest failure among public inputs: those of the desk first (0), then others, for what fails on few inputs."""
    seed = seed_of(PUBLIC_SEED, deck.exercise.assignment, deck.exercise.name, check.name, *([number] if number else []))
    return smallest_failure(check, Student(ask, deck.exercise), seed=seed, ignore=_Spent)


def _recognised(deck: DeckExercise, failed: Iterable[int], explain: Ask) -> dict[str, set[str]]:
    """Without the staff's half: what the answer behaves like by the numbers recorded of known mistakes, on the desk's inputs."""
    checks, student = [deck.checks[number].check for number in failed], Student(explain, deck.exercise)
    failures = {check.name: failing_cases(check, student, desk_cases(deck.exercise, check), set()) for check in checks}
    return recognised(deck.exercise, {name: failing for name, failing in failures.items() if failing})


def _name_behaviour(deck: DeckExercise, answers: list[Answers | Lost], failed: set[int], verdict: ExerciseVerdict) -> None:
    """Name what the answer behaves like; equal failing answers are diagnosed once for the class."""
    known = tuple((number, answers[number].digest) for number in sorted(failed))
    lost = {number for number, given in enumerate(answers) if isinstance(given, Lost)}
    key = (known, frozenset(lost))
    if key not in deck.named:
        given = {number: answers[number].decoded() for number in failed}
        explains = explained(deck, given, lambda answer: deck.fails(answer, _fails) - lost)
        deck.named[key] = {tell: {deck.checks[number].check.name for number in numbers} for tell, numbers in explains.items()}
    name_behaviour(verdict, deck.named[key])


def _fails(deck: DeckExercise, answer: Answer) -> set[int]:
    """The checks of the deck that a misconception fails."""
    def ask(operation: tuple) -> tuple:
        return perform(answer.function, operation, deck.exercise.context)
    return {number for number, check in enumerate(deck.checks) if _failure(deck, check, deck.misconceived(answer, number), ask, set()) is not None}
