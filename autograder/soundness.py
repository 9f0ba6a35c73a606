"""Soundness of one exercise: its checks held against right answers, known wrong ones, and every mutant of the reference."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import torch

from autograder.assignment import with_staff_half
from autograder.deck import DeckExercise, draw_exercise
from autograder.exercise import PUBLIC, Exercise
from autograder.kills import deviation, kills
from autograder.mutants import mutants_of
from autograder.newexercise import open_ends
from autograder.places import CourseError
from autograder.trivial import FILLS, trivial
from autograder.untrusted.operations import perform

MISCONCEPTION, MUTANT = "misconception", "mutant"
RIGHT_MARGIN, WRONG_MARGIN = 0.1, 10.0
SPARE = 2  # a check draws at least so many times the examples that its misconceptions need


@dataclass
class Wrong:
    """A wrong answer: its name, what it behaves like (a mutant: the change), the check that its author named.

    `kills` has the checks that it fails, with the first failing example (the largest over the seeds) and the margin (the smallest);
    for a check that it fails on some seeds only, the example is 0.
    """

    kind: str
    name: str
    tell: str
    named: str = ""
    kills: dict[str, tuple[int, float]] = field(default_factory=dict)

    def killed_by(self, checks: set[str]) -> bool:
        """Whether some of `checks` fails it on every seed."""
        return any(example for name, (example, _) in self.kills.items() if name in checks)


@dataclass
class CheckFacts:
    """What is known of one check: the examples that are drawn, those that its misconceptions need, and how many wrong answers only it fails."""

    name: str
    title: str
    visibility: str
    drawn: int
    needed: int = 0
    alone: int = 0


@dataclass
class Soundness:
    """What was found out about one exercise. `right` has the largest deviation of each right answer in units of the tolerance."""

    assignment: str
    exercise: str
    checks: list[CheckFacts]
    right: dict[str, float] = field(default_factory=dict)
    wrong: list[Wrong] = field(default_factory=list)
    equivalents: dict[str, str] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)

    @property
    def public(self) -> set[str]:
        """The names of the public checks."""
        return {check.name for check in self.checks if check.visibility == PUBLIC}

    def share(self, kind: str, *, public_only: bool) -> tuple[int, int]:
        """How many wrong answers of a kind are caught, and of how many."""
        checks = self.public if public_only else {check.name for check in self.checks}
        wrong = [one for one in self.wrong if one.kind == kind]
        return sum(one.killed_by(checks) for one in wrong), len(wrong)


def examine(root: Path, assignment: str, name: str, *, right_seeds: list[int], wrong_seeds: list[int]) -> Soundness:
    """Hold the checks of one exercise against all its answers, on decks drawn from the given seeds."""
    torch.set_num_threads(1)
    exercise = with_staff_half(assignment, root)[name]
    path = f"solutions/{assignment}/{name}.py"
    try:
        decks = [draw_exercise(exercise, seed=seed) for seed in wrong_seeds]
    except CourseError as error:
        return Soundness(assignment, name, [], findings=[str(error)])
    sound = Soundness(assignment, name, [CheckFacts(c.check.name, c.check.title, c.check.visibility, len(c.cases)) for c in decks[0].checks])
    for half in (f"autograder/exercises/{assignment}/{name}.py", path):
        sound.findings += open_ends(root, root / half)
    _hold_that_there_are_answers(sound, exercise, path)
    for seed in right_seeds:
        deck = draw_exercise(exercise, seed=seed)
        _hold_right_answers(sound, deck, path, seed)
        _hold_caught(sound, deck, path, seed)
    _hold_right_margins(sound, path)
    _hold_misconceptions(sound, exercise, path, decks)
    _hold_mutants(sound, exercise, path, decks)
    _hold_trivial(sound, decks[0], path)
    _hold_checks(sound, exercise, path)
    return sound


def _hold_that_there_are_answers(sound: Soundness, exercise: Exercise, path: str) -> None:
    """A check that has met one right answer and no wrong one is held by nothing."""
    if not exercise.alternates:
        sound.findings.append(f"{path}: no right answer but the reference; write one in another way, with @exercise.alternate above it")
    if not exercise.misconceptions:
        sound.findings.append(f"{path}: no known wrong answer; write one, with @exercise.misconception(caught_by=…, tell=…) above it")


def _hold_right_answers(sound: Soundness, deck: DeckExercise, path: str, seed: int) -> None:
    for answer in [deck.exercise.reference.function, *(one.function for one in deck.exercise.alternates)]:
        try:
            sound.right[answer.__name__] = max(sound.right.get(answer.__name__, 0.0), deviation(deck, answer))
        except AssertionError as error:
            if sound.right.get(answer.__name__) != math.inf:  # once is enough
                sound.findings.append(f"{path}: the right answer {answer.__name__} fails on seed {seed} ({error}); mend it or the check, and prove it "
                                      f"with: autograder doctor {sound.assignment} --exercise {sound.exercise}")
            sound.right[answer.__name__] = math.inf


def _hold_right_margins(sound: Soundness, path: str) -> None:
    for name, off in sound.right.items():
        if RIGHT_MARGIN < off < math.inf:
            sound.findings.append(f"{path}: the right answer {name} comes within {off:.2f} of the tolerance (at most {RIGHT_MARGIN} is asked); "
                                  "draw smaller inputs")


def _hold_caught(sound: Soundness, deck: DeckExercise, path: str, seed: int) -> None:
    """No deck lets a misconception through: not the one that the course happens to draw either."""
    for known in deck.exercise.misconceptions:
        if not any(kills(deck, known.function, checks=[known.caught_by])) and not any(kills(deck, known.function)):
            sound.findings.append(f"{path}: the misconception {known.name} passes every check on seed {seed}; draw more telling inputs in "
                                  f"{known.caught_by.name}, and prove it with: make prove")


def _hold_misconceptions(sound: Soundness, exercise: Exercise, path: str, decks: list[DeckExercise]) -> None:
    for known in exercise.misconceptions:
        wrong = Wrong(MISCONCEPTION, known.name, known.tell, known.caught_by.name)
        for deck in decks:
            _add(wrong, deck, known.function, first=deck is decks[0])
        sound.wrong.append(wrong)
        if unfinished := _unfinished(decks[0], known.function):
            sound.findings.append(f"{path}: the misconception {known.name} raises {unfinished}, so it proves nothing about {known.caught_by.name}; mend it")
        named, where = wrong.kills.get(known.caught_by.name, (0, 0.0)), f"{path}: the misconception {known.name}"
        if not named[0]:
            sound.findings.append(f"{where} passes {known.caught_by.name}, which should catch it; draw more telling inputs there")
        margin = max((margin for example, margin in wrong.kills.values() if example), default=math.inf)
        if margin < WRONG_MARGIN:
            sound.findings.append(f"{where} is only {margin:.1f} tolerances off (at least {WRONG_MARGIN:g} are asked); draw inputs where it is further off")
        check = next(check for check in sound.checks if check.name == known.caught_by.name)
        check.needed = max(check.needed, named[0])
    for check, asked in zip(sound.checks, exercise.checks):
        if SPARE * check.needed > check.drawn >= asked.examples:  # fewer are drawn where there are no more
            sound.findings.append(f"{path}: {check.name} needs {check.needed} examples and draws {check.drawn}; give it examples={SPARE * check.needed}")


def _unfinished(deck: DeckExercise, function: Callable) -> str:
    """What a wrong answer raises that is no student's mistake but a slip of its author's: a name that is nowhere defined, a missing module."""
    answers = [perform(function, operation, deck.exercise.context) for operation in deck.unique[:3]]
    return next((f"{answer[1]} ({answer[2]})" for answer in answers if answer[0] == "raised" and answer[1] in ("NameError", "ModuleNotFoundError")), "")


def _add(wrong: Wrong, deck: DeckExercise, function, *, first: bool) -> None:
    """Add what one more deck says: checks that fail the answer on every deck keep the worst example and margin."""
    found = {kill.check.name: (kill.example, kill.margin) for kill in kills(deck, function, every_example=wrong.kind == MISCONCEPTION)}
    if first:
        wrong.kills = found
    for name in {*wrong.kills, *found}:
        known, now = wrong.kills.get(name, (0, math.inf)), found.get(name, (0, math.inf))
        wrong.kills[name] = (max(known[0], now[0]) if known[0] and now[0] else 0, min(known[1], now[1]))


def _hold_mutants(sound: Soundness, exercise: Exercise, path: str, decks: list[DeckExercise]) -> None:
    """Every mutant is caught, or the staff half says why it is none; deck after deck, as two misses in a row are no bad luck."""
    sound.equivalents = dict(exercise.equivalents)
    met = set()
    for mutant in mutants_of(exercise):
        wrong = Wrong(MUTANT, mutant.change, mutant.change)
        _add(wrong, decks[0], mutant.function, first=True)
        if not wrong.kills and mutant.change in exercise.equivalents:
            met.add(mutant.change)
            continue
        sound.wrong.append(wrong)
        if not wrong.kills:
            sound.findings.append(f"{path}: no check fails the mutant of line {mutant.line}; draw inputs that tell it apart, or write below the "
                                  f"reference: exercise.equivalent({mutant.change!r}, because=\"…\")")
    for change in exercise.equivalents.keys() - met:
        sound.findings.append(f"{path}: exercise.equivalent({change!r}) names no mutant, or one that is caught; delete the line")


def _hold_trivial(sound: Soundness, deck: DeckExercise, path: str) -> None:
    """No check gives points for zeros, ones, the input or nothing at all."""
    exercise = deck.exercise
    for name, fill in FILLS.items():
        failed = {kill.check for kill in kills(deck, trivial(fill, exercise))}
        for check in [check for check in exercise.checks if check not in failed]:
            half = f"autograder/exercises/{sound.assignment}/{sound.exercise}.py" if check.visibility == PUBLIC else path
            sound.findings.append(f"{half}: {check.name} is passed by an answer that returns {name}; let it ask for the values as well")


def _hold_checks(sound: Soundness, exercise: Exercise, path: str) -> None:
    """Every check fails something that no (other) public check does, or says why it is kept."""
    for check, asked in zip(sound.checks, exercise.checks):
        check.alone = sum(one.killed_by({check.name}) and not one.killed_by(sound.public - {check.name}) for one in sound.wrong)
        if not check.alone and not asked.kept:
            half = f"autograder/exercises/{sound.assignment}/{sound.exercise}.py" if check.visibility == PUBLIC else path
            sound.findings.append(f"{half}: every wrong answer that {check.name} catches is caught by "
                                  "another public check too; add one that only this one catches, or say why it stays: kept=\"…\"")
