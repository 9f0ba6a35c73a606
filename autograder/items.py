"""Items: how a class did in each exercise and check, and which exercises tell students apart."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass

from autograder.results import CheckResult, ExerciseResult, SubmissionResult

ENOUGH = 10                         # submissions below which a correlation says nothing
NOT_TRIED = ("not_attempted", "unreadable", "grader_fault")


@dataclass(frozen=True)
class CheckItem:
    """One check: how many submissions came out in each way."""

    name: str
    title: str
    visibility: str
    most: float
    outcomes: dict[str, int]

    @property
    def rate(self) -> float:
        """The part of all submissions for which it holds."""
        return self.outcomes.get("correct", 0) / max(1, sum(self.outcomes.values()))


@dataclass(frozen=True)
class Item:
    """One exercise. `separates` is the correlation of its score with that of the rest (None: cannot be said), `words` what it means."""

    name: str
    title: str
    most: float
    mean: float
    outcomes: dict[str, int]
    separates: float | None
    words: str
    checks: list[CheckItem]

    @property
    def rate(self) -> float:
        """The part of all submissions that have it right."""
        return self.outcomes.get("correct", 0) / max(1, sum(self.outcomes.values()))

    @property
    def separates_or_last(self) -> float:
        """For sorting: what cannot be said comes last."""
        return -2.0 if self.separates is None else self.separates


def items(results: list[SubmissionResult]) -> list[Item]:
    """The items of an assignment, over submissions that could be graded. What only some were asked counts for those."""
    names = dict.fromkeys(exercise.name for result in results for exercise in result.exercises)
    return [_item([(exercise, result) for result in results for exercise in result.exercises if exercise.name == name]) for name in names]


def _item(mine: list[tuple[ExerciseResult, SubmissionResult]]) -> Item:
    tried = [(one.score, result.score - one.score) for one, result in mine if something_tried(result)]
    separates, last = item_rest(tried), mine[-1][0]
    names = dict.fromkeys(check.name for one, _ in mine for check in one.checks)
    checks = [_check([check for one, _ in mine for check in one.checks if check.name == name]) for name in names]
    return Item(
        last.name,
        last.title,
        last.max_score,
        statistics.fmean(one.score for one, _ in mine),
        dict(Counter(one.outcome for one, _ in mine)),
        separates,
        in_words(separates, tried),
        checks,
    )


def something_tried(result: SubmissionResult) -> bool:
    """Whether there is an answer to any exercise."""
    return any(exercise.outcome not in NOT_TRIED for exercise in result.exercises)


def _check(mine: list[CheckResult]) -> CheckItem:
    last = mine[-1]
    return CheckItem(last.name, last.title, last.visibility, last.max_points, dict(Counter(check.outcome for check in mine)))


def item_rest(pairs: list[tuple[float, float]]) -> float | None:
    """The correlation (the point-biserial one where the score is all or nothing) of an exercise's score with that of the rest.

    None where fewer than `ENOUGH` tried, or where all have the same score in one of the two.
    """
    if len(pairs) < ENOUGH:
        return None
    mine, rest = zip(*pairs)
    if max(mine) - min(mine) < 1e-9 or max(rest) - min(rest) < 1e-9:
        return None
    return max(-1.0, min(1.0, statistics.correlation(mine, rest)))


def in_words(separates: float | None, pairs: list[tuple[float, float]]) -> str:
    """What a correlation means for somebody who writes exercises."""
    if separates is None:
        if len(pairs) < ENOUGH:
            return f"cannot be said of fewer than {ENOUGH} submissions"
        same = max(one for one, _ in pairs) - min(one for one, _ in pairs) < 1e-9
        return "tells nobody apart: all have the same score in it" if same else "cannot be said: all have the same score in the rest"
    if separates >= 0.4:
        return "separates well: who does well elsewhere does well here"
    if separates >= 0.2:
        return "separates somewhat"
    if separates > -0.2:
        return "hardly separates: whether it is right has little to do with the rest"
    return "the other way round: who does well elsewhere does worse here; look at its wording and its checks"
