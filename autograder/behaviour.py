"""What an answer behaves like: the misconceptions that explain why its checks fail, and the words for it.

A misconception explains a failing check when it gives the very same answers to it, and fails no check that the answer passes. One that
gives other answers to all but one of the checks that it fails agrees by chance, where there is a single layer or a single pair. Where no
two explain every failing check, pairs are tried: an answer that makes two mistakes at once (see `pairs`).
"""

from __future__ import annotations

from itertools import combinations, islice
from typing import Any, Callable, Collection, Iterable, Iterator

import torch

from autograder.compare import TOLERANCE
from autograder.deck import DeckExercise
from autograder.exercise import Answer
from autograder.pairs import both
from autograder.untrusted.operations import CALL, VJP
from autograder.verdict import ExerciseVerdict

PAIRS_TRIED = 150
ALTERNATIVES = 3
Given = dict[int, list[tuple]]  # the answers to each failing check, by its place in the deck


def explained(deck: DeckExercise, given: Given, fails: Callable[[Answer], set[int]]) -> dict[str, set[int]]:
    """By tell, the failing checks that a misconception explains, or that two of them explain together.

    fails: the checks that an answer of the staff fails.
    """
    found = {}
    if len(given) == len(deck.checks) and says_nothing(call for number, answers in given.items() for call in zip(deck.operations[number], answers)):
        return found
    for answer in deck.exercise.misconceptions:
        same = {number for number, answers in given.items() if _agree(answers, deck, answer, number)}
        if same and fails(answer) <= given.keys() and not by_chance(same, fails(answer)):
            found[answer] = same & fails(answer)
    singles = {answer.tell: numbers for answer, numbers in found.items()}
    if given.keys() <= set().union(*_largest_two(singles)):
        return singles
    for pair in islice(_pairs(deck, given, set(found)), PAIRS_TRIED):
        if all(_agree(answers, deck, pair, number) for number, answers in given.items()) and fails(pair) <= given.keys():
            return {pair.tell: set(given)}
    return singles


def by_chance(same: Collection, failed: Collection) -> bool:
    """Whether a mistake that fails the checks `failed` and explains of several only one, those in `same`, is hardly the one that was made."""
    return len(failed) > 1 and len(set(same) & set(failed)) <= 1


def says_nothing(calls: Iterable[tuple[tuple, tuple]]) -> bool:
    """Whether an answer that passes no check gives no value at all, or one and the same whatever it is called on: many a mistake does so on
    some input.

    calls: operations and what was answered to each.
    """
    answers = [answer for operation, answer in calls if operation[0] in (CALL, VJP)]
    values = [answer[1] for answer in answers if answer[0] == "value" and answer[1] is not None]
    if not answers or any(answer[0] not in ("value", "raised") for answer in answers):  # parameters that do not fit, say: that says a lot
        return False
    return not values or len(values) >= 4 and all(same_answer(values[0], value) for value in values[1:])


def _largest_two(explains: dict[str, set[int]]) -> list[set[int]]:
    """What `name_behaviour` will name."""
    first = max(explains.values(), key=len, default=set())
    return [first, max((numbers - first for numbers in explains.values()), key=len, default=set())]


def _pairs(deck: DeckExercise, given: Given, partly: set[Answer]) -> Iterator[Answer]:
    """Pairs of mistakes that may be made at once: alone neither fails a check that holds.

    Those come first that together fail all checks that do not hold, and among them those with a mistake that explains a part.
    """
    names = {deck.checks[number].check.name for number in given}
    fails = deck.exercise.fails
    plausible = [answer for answer in deck.exercise.misconceptions if fails.get(answer.name) and fails[answer.name] <= names]
    def unlikely(pair: tuple[Answer, Answer]) -> tuple[int, bool]:
        return len(names - fails[pair[0].name] - fails[pair[1].name]), partly.isdisjoint(pair)

    for one, other in sorted(combinations(plausible, 2), key=unlikely):
        pair = deck.pair(one, other, both)
        if pair is not None:
            yield pair


def _agree(answers: list[tuple], deck: DeckExercise, answer: Answer, number: int) -> bool:
    """Whether the answers to one check are those of a misconception; it is asked no more than it takes to disagree."""
    return all(same_answer(mine, deck.misconceived_at(answer, number, at)) for at, mine in enumerate(answers))


def name_behaviour(verdict: ExerciseVerdict, explains: dict[str, set[str]]) -> None:
    """Name in `verdict` the mistakes that explain failing checks, two at most, those that explain most first.

    explains: by the mistake's tell, the names of the checks whose failing it explains. Mistakes that explain the same checks cannot be told
    apart, and are named as alternatives.
    """
    by_name = {check.check.name: check for check in verdict.checks}
    tells: list[str] = []
    explains = dict(explains)
    while len(tells) < 2 and any(explains.values()):
        told = max(explains.values(), key=len)
        tell = ", or like ".join([one for one, names in explains.items() if names == told][:ALTERNATIVES])
        tells.append(tell)
        for name in told:
            by_name[name].message += f" It behaves like {tell}."
        explains = {one: names - told for one, names in explains.items()}
    verdict.behaves_like = "; and like ".join(tells) or None


def same_answer(one: Any, other: Any) -> bool:
    """Whether two answers are the same for all practical purposes: equal up to rounding, NaN equal to NaN."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        if one.shape != other.shape or one.is_complex() != other.is_complex():
            return False
        if one.dtype == other.dtype and torch.equal(one, other):
            return True
        if one.is_complex():
            one, other = torch.view_as_real(one), torch.view_as_real(other)
        one, other = one.to(torch.float64), other.to(torch.float64)
        scale = max(1.0, float(other.nan_to_num(0, 0, 0).abs().max()) if other.numel() else 1.0)
        return torch.allclose(one, other, rtol=0, atol=TOLERANCE * scale, equal_nan=True)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        if one and other and one[0] == "raised" and other[0] == "raised":
            return one[1] == other[1]
        return len(one) == len(other) and all(map(same_answer, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_answer(one[key], other[key]) for key in one)
    if isinstance(one, torch.Tensor) or isinstance(other, torch.Tensor):
        return False
    return one == other or one != one and other != other  # NaN is NaN
