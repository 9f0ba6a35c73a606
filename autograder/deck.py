"""The deck: every check's inputs, drawn once for the whole class, with the reference's answers.

Drawing runs each check once with the reference in the student's place and records the calls it makes. A submission is
sent all recorded calls at once; the check's body then runs again on the answers. A call whose input depends on an earlier
answer is not in the recording and is made live. The deck is a function of the kit, the exercise and the course's seed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, Collection, Sequence

from autograder.agreement import Expected, expected_reply
from autograder.case import Case, running
from autograder.exercise import Answer, Check, Exercise, same_values
from autograder.explore import draw_cases, seed_of
from autograder.places import CourseError, at_fault
from autograder.student import Ask, Student
from autograder.untrusted import wire
from autograder.untrusted.operations import perform


@dataclass
class DeckCase:
    """One drawn case: its inputs, the calls that its body makes on the reference, and the reference's own answers."""

    drawn: dict[str, Any]
    operations: list[tuple]
    answers: list[tuple]
    reference: list[tuple[Any, Any]]


@dataclass
class DeckCheck:
    """All cases of one check."""

    check: Check
    cases: list[DeckCase]


@dataclass
class DeckExercise:
    """All checks of one exercise. `payload` is what a worker is sent, encoded once.

    `passed` knows, by check and digest, replies that passed, with the remarks on them: equal answers are judged once. `named` knows, by
    the digests of failing replies, what was found to explain them; `told`, by check, digest and code, how some failures were told. What
    misconceptions answer is computed when it is first asked for.
    All of it is kept for the class.
    """

    exercise: Exercise
    checks: list[DeckCheck]
    passed: dict[tuple[int, bytes], tuple[str, ...]] = field(default_factory=dict)
    named: dict[tuple, dict[str, set[str]]] = field(default_factory=dict)
    told: dict[tuple[int, bytes, str], Any] = field(default_factory=dict)
    _misconceived: dict[tuple[str, int, int], tuple] = field(default_factory=dict)
    _fails: dict[str, set[int]] = field(default_factory=dict)
    _pairs: dict[tuple[str, str], Answer | None] = field(default_factory=dict)

    @cached_property
    def operations(self) -> list[list[tuple]]:
        """For each check, the recorded operations of all its cases in order."""
        return [[operation for case in check.cases for operation in case.operations] for check in self.checks]

    @cached_property
    def _numbered(self) -> tuple[list[tuple], list[list[int]]]:
        """Every different operation once, and for each check the numbers of its operations among these."""
        known: dict[bytes, int] = {}
        unique: list[tuple] = []
        numbers = []
        for operations in self.operations:
            numbers.append([])
            for operation in operations:
                number = known.setdefault(wire.encode(operation, once=True), len(unique))
                if number == len(unique):
                    unique.append(operation)
                numbers[-1].append(number)
        return unique, numbers

    @property
    def unique(self) -> list[tuple]:
        """Every different operation of the exercise, once."""
        return self._numbered[0]

    @property
    def numbers(self) -> list[list[int]]:
        """For each check, the places of its operations in `unique`: checks with the same inputs share their calls."""
        return self._numbered[1]

    def plan(self, start: int, have: Collection[int]) -> list[list[int]]:
        """For each check from `start` on, the operations that are still to be asked, given those that are answered."""
        seen, plan = set(have), []
        for numbers in self.numbers[start:]:
            plan.append([number for number in dict.fromkeys(numbers) if number not in seen])
            seen.update(plan[-1])
        return plan

    @cached_property
    def payload(self) -> bytes:
        """What a worker is sent first, encoded once for the whole class."""
        return self.encoded(self.plan(0, ()))

    @cached_property
    def expected(self) -> list[Expected]:
        """What a worker that answers as the reference does replies to `payload`: for each check one reply; none without a reference."""
        answers: dict[int, tuple] = {}
        for check, numbers in zip(self.checks, self.numbers):
            answers |= zip(numbers, (answer for case in check.cases for answer in case.answers))
        return [expected_reply([answers[number] for number in numbers]) for numbers in self.plan(0, ())]

    def encoded(self, plan: list[list[int]]) -> bytes:
        """A plan's operations as the wire carries them."""
        return wire.encode([[self.unique[number] for number in numbers] for numbers in plan], once=True)

    def misconceived_at(self, answer: Answer, number: int, at: int) -> tuple:
        """What a misconception answers to operation `at` of check `number`."""
        key = (answer.name, number, at)
        if key not in self._misconceived:
            self._misconceived[key] = perform(answer.function, self.operations[number][at], self.exercise.context)
        return self._misconceived[key]

    def misconceived(self, answer: Answer, number: int) -> list[tuple]:
        """What a misconception answers to all operations of check `number`."""
        return [self.misconceived_at(answer, number, at) for at in range(len(self.operations[number]))]

    def fails(self, answer: Answer, compute: Callable[[DeckExercise, Answer], set[int]]) -> set[int]:
        """The numbers of the checks that a misconception fails."""
        if answer.name not in self._fails:
            self._fails[answer.name] = compute(self, answer)
        return self._fails[answer.name]

    def pair(self, one: Answer, other: Answer, compose: Callable[[Exercise, Answer, Answer], Answer | None]) -> Answer | None:
        """An answer that makes two mistakes, composed once."""
        key = one.name, other.name
        if key not in self._pairs:
            self._pairs[key] = compose(self.exercise, one, other)
        return self._pairs[key]


def draw_deck(exercises: dict[str, Exercise], *, seed: int) -> dict[str, DeckExercise]:
    """Draw the deck of every exercise. Raises `CourseError` where the reference fails a check."""
    return {name: draw_exercise(exercise, seed=seed) for name, exercise in exercises.items()}


def draw_exercise(exercise: Exercise, *, seed: int) -> DeckExercise:
    """Draw the deck of one exercise, hidden checks included where the staff half is loaded.

    Checks that draw from the same strategies get the same inputs, so that a submission is called on them only once.
    """
    groups: dict[tuple[int, ...], list[Check]] = {}
    for check in exercise.checks:
        groups.setdefault(tuple(map(id, check.inputs.values())), []).append(check)
    drawn: dict[Check, list[dict[str, Any]]] = {}
    for checks in groups.values():
        largest = max(checks, key=lambda check: check.examples)
        try:
            inputs = draw_cases(largest, seed=seed_of(seed, exercise.assignment, exercise.name, checks[0].name))
        except Exception as error:
            raise CourseError(f"{at_fault(error, *_files(largest))} while inputs are drawn for {largest.name}; mend it there") from error
        for check in checks:
            drawn[check] = [dict(zip(check.inputs, one.values())) for one in inputs[:check.examples]]
    return DeckExercise(exercise, [DeckCheck(check, [_record(exercise, check, one) for one in drawn[check]]) for check in exercise.checks])


def _files(check: Check) -> list[Path]:
    """Where the check stands, and the public half, where most strategies do."""
    code = check.body.__code__
    return [Path(code.co_filename), *(Path(sys.modules[name].__file__) for name in sys.modules if name.startswith("autograder.exercises.") and name.count(".") == 3)]


def _record(exercise: Exercise, check: Check, drawn: dict[str, Any]) -> DeckCase:
    if exercise.reference is None:  # no staff half: nothing is recorded, and every call is made live
        return DeckCase(drawn, [], [], [])
    with running(Case()) as case:
        try:
            check.body(exercise.reference.student, **drawn)
        except Exception as error:
            raise CourseError(f"{exercise.module}: the reference fails its own check {check.name} ({error}); mend one of the "
                              f"two and prove it with: autograder doctor {exercise.assignment} --exercise {exercise.name}") from error
    return DeckCase(drawn, [call[0] for call in case.calls], [call[1] for call in case.calls], case.reference)


def replay(check: DeckCheck, index: int, exercise: Exercise, answers: list[tuple], live: Ask) -> tuple[BaseException | None, Case]:
    """Run the check's body on one case with the answers that were given to its recorded calls.

    Returns what the body raised, or None, and the case with its calls and remarks.
    """
    recorded = check.cases[index]
    ask = replaying(recorded.operations, answers, live)
    with running(Case(reference=recorded.reference)) as case:
        try:
            check.check.body(Student(ask, exercise), **recorded.drawn)
        except Exception as error:  # OverLimit is a BaseException and passes
            return error, case
    return None, case


def replaying(operations: list[tuple], answers: Sequence[tuple], live: Ask) -> Callable[[tuple], tuple]:
    """An `Ask` that answers recorded operations with `answers` and asks all others live."""
    position = 0

    def ask(operation: tuple) -> tuple:
        nonlocal position
        for at in (position, *range(len(answers))):  # nearly always the next one
            if at < len(answers) and same_values(operations[at], operation):
                position = at + 1
                return answers[at]
        return live(operation)

    return ask
