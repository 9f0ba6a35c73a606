"""The catalogue, through the real worker and judge: every wrong answer loses marks and is told what it is, no right one is wronged."""

from __future__ import annotations

from collections import defaultdict

import pytest
from catalogue import ASSIGNMENTS, UNFIT, Entry, mistakes, variants
from support import exercise_of

# In the catalogue of mistakes, but right as the exercise is.
_RIGHT_HERE = {"M216"}


def _turns() -> list[tuple[str, int, list[Entry]]]:
    """For each assignment: one notebook with the first entry of every exercise, one with the second, and so on."""
    turns = []
    for assignment in ASSIGNMENTS:
        by_exercise: dict[str, list[Entry]] = defaultdict(list)
        for entry in (*mistakes().values(), *variants().values()):
            if entry.assignment == assignment:
                by_exercise[entry.exercise].append(entry)
        for turn in range(max(map(len, by_exercise.values()))):
            turns.append((assignment, turn, [entries[turn] for entries in by_exercise.values() if turn < len(entries)]))
    return turns


@pytest.mark.parametrize("assignment, entries", [pytest.param(a, e, id=f"{a}-{turn}") for a, turn, e in _turns()])
def test_an_answer_is_told_what_it_is(grade_in, assignment, entries):
    outcome = grade_in(assignment, {entry.exercise: entry.source for entry in entries})
    complaints = []
    for entry in entries:
        graded = exercise_of(outcome, entry.exercise)
        complaints += [f"{entry.name} ({entry.what}): {text}" for text in (_wronged if entry.lost is not None else _missed)(entry, graded)]
    assert not complaints, "\n".join(complaints)


def _missed(entry: Entry, graded) -> list[str]:
    """What is amiss with the verdict on a mistake."""
    failed = [check for check in graded.checks if check.outcome != "correct"]
    if not failed or graded.score >= graded.max_score or graded.outcome not in ("wrong", "raised"):
        return [f"passed as {graded.outcome}, {graded.score} of {graded.max_score}"]
    if entry.named:
        return [] if entry.named in (graded.behaves_like or "") else [f"called {graded.behaves_like!r}"]
    told = [check.message + check.hint for check in failed]
    return [] if any(entry.hinted in text for text in told) else [f"told {told}"]


def _wronged(entry: Entry, graded) -> list[str]:
    """What is amiss with the verdict on an unusual right answer."""
    lost = [check.name for check in graded.checks if check.outcome != "correct"]
    amiss = [f"lost {lost}, not {entry.lost}"] if lost != list(entry.lost) else []
    if entry.named not in (graded.behaves_like or ""):
        amiss.append(f"called {graded.behaves_like!r}")
    if bool(graded.remarks) != bool(entry.remark) or not all(entry.remark in remark for remark in graded.remarks):
        amiss.append(f"remarks {graded.remarks}")
    return amiss


def test_the_catalogue_is_whole_and_nearly_every_mistake_has_a_name():
    numbers = {entry.number for entry in mistakes().values()}
    assert len(numbers | UNFIT.keys() | _RIGHT_HERE) == 144 and not numbers & UNFIT.keys()
    assert len({entry.number for entry in variants().values()} - numbers - _RIGHT_HERE) == 37
    assert all(bool(entry.named) != bool(entry.hinted) for entry in mistakes().values())
    assert sum(bool(entry.named) for entry in mistakes().values()) >= 0.95 * len(mistakes())
