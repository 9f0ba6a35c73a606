"""Every attack in three arms: it works on a naive grader, and the kit stops it where it claims to."""

from __future__ import annotations

import pytest
from arms import FLAGGED, NOT_TRIED, STOPPED, UNCLAIMED, WORKS, Arms
from attempt import ARMS, CONTROL, Attempt, attempts

ATTEMPTS = attempts()
EACH = [(attempt, arm) for attempt in ATTEMPTS for arm in ARMS]


@pytest.mark.parametrize("attempt, arm", EACH, ids=[f"{a.group}/{a.name}-{arm}" for a, arm in EACH])
def test_attack(arms: Arms, attempt: Attempt, arm: str):
    assert arms.run(attempt, arm) in allowed(attempt, arm)


def allowed(attempt: Attempt, arm: str) -> tuple[str, ...]:
    """The results that an attack may have: the control works, or it proves nothing; what an arm claims to stop is stopped."""
    if arm not in attempt.arms:
        return (NOT_TRIED,)
    if arm == CONTROL:
        return (WORKS,)
    if arm not in attempt.claimed:
        return (STOPPED, UNCLAIMED)
    return (FLAGGED,) if attempt.wants == "flag" else (STOPPED,)
