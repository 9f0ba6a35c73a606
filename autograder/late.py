"""The late policy: what is taken off for handing in late, and the sentence that says so.

A submission handed in at most `grace_minutes` after it was due loses nothing. After that a day is counted for each day begun since the
grace ended. Times are compared as instants, so neither the zone in which a date is written nor a change of the clocks matters; only how
long a day is does, see `Late.time_zone`.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import ROUND_DOWN, Decimal
from zoneinfo import ZoneInfo

from autograder.course import Course, Late
from autograder.results import LateResult

_DAY = timedelta(days=1)


def deadline_of(course: Course, assignment: str, student: str) -> datetime | None:
    """When the student's work is due: the extension, or else the assignment's date."""
    entry = course.assignment(assignment)
    return entry.extensions.get(student, entry.due)


def extension_of(course: Course, assignment: str, student: str) -> timedelta | None:
    """How much later than the others the student may hand in, as nbgrader's gradebook has it."""
    entry = course.assignment(assignment)
    return entry.extensions[student] - entry.due if student in entry.extensions else None


def late_result(course: Course, assignment: str, student: str, handed_in: datetime | None, total: float) -> LateResult | None:
    """What lateness costs a student who has `total` points; None where nothing is late, unknown or no policy given.

    `handed_in` without a time zone is in UTC, as nbgrader stores it.
    """
    due, policy = deadline_of(course, assignment, student), course.late
    if policy is None or due is None or handed_in is None:
        return None
    handed_in = handed_in if handed_in.tzinfo else handed_in.replace(tzinfo=timezone.utc)
    seconds = (handed_in - due).total_seconds()
    if seconds <= 0:
        return None
    days = days_late(due, handed_in, policy)
    percent = percent_off(days, policy)
    penalty = points_off(total, percent)
    extended = student in course.assignment(assignment).extensions
    return LateResult(due=_written(due), handed_in=_written(handed_in), seconds_late=seconds, days_late=days, percent=percent, total=total, penalty=penalty,
                      total_after=total - penalty, reason=_sentence(policy, seconds, days, percent, total, penalty, extended=extended))


def days_late(due: datetime, handed_in: datetime, policy: Late) -> int:
    """The days begun between the end of the grace and handing in, 0 within the grace."""
    over = due.astimezone(timezone.utc) + timedelta(minutes=policy.grace_minutes)
    late = handed_in.astimezone(timezone.utc) - over
    if late <= timedelta(0):
        return 0
    if policy.time_zone is None:
        return -(-late // _DAY)
    days = max(0, late // _DAY - 1)  # a day by the clock has 23 to 25 hours
    while _by_the_clock(over, days, ZoneInfo(policy.time_zone)) < handed_in:
        days += 1
    return days


def _by_the_clock(moment: datetime, days: int, zone: ZoneInfo) -> datetime:
    """The instant at which the clock shows the same time, so many days later."""
    local = moment.astimezone(zone)
    return (local.replace(tzinfo=None) + days * _DAY).replace(tzinfo=zone, fold=local.fold).astimezone(timezone.utc)


def percent_off(days: int, policy: Late) -> float:
    """The percentage taken off for so many days."""
    if policy.nothing_after_days is not None and days > policy.nothing_after_days:
        return 100.0
    return float(min(policy.most_percent, days * policy.percent_per_day))


def points_off(total: float, percent: float) -> float:
    """`percent` of `total`, down to whole hundredths of a point; never more than there is, never less than nothing."""
    if total <= 0:
        return 0.0
    exact = Decimal(repr(round(total, 6))) * Decimal(repr(percent)) / 100
    return min(total, float(exact.quantize(Decimal("0.01"), ROUND_DOWN))) if percent < 100 else total


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _sentence(policy: Late, seconds: float, days: int, percent: float, total: float, penalty: float, *, extended: bool) -> str:
    after = " after the extension" if extended else ""
    if days == 0:
        minutes = -(-seconds // 60)
        return f"{minutes:g} minute{'s' if minutes > 1 else ''} late{after}: within the grace of {policy.grace_minutes:g} minutes, no points taken off"
    head = f"{days} day{'s' if days > 1 else ''} late{after}: "
    if policy.nothing_after_days is not None and days > policy.nothing_after_days:
        last = policy.nothing_after_days
        return head + f"nothing counts {f'after {last} day' + ('s' if last > 1 else '') if last else 'that is late'}, all {total:g} points taken off"
    most = " (the most)" if days * policy.percent_per_day > policy.most_percent else ""
    return head + f"{percent:g} %{most} of {total:g} = {penalty:g} points taken off"
