"""Every attack in three arms: it works on a naive grader, and the kit stops it where it claims to."""

from __future__ import annotations

import dataclasses
import sys

import pytest
from arms import FLAGGED, NOT_TRIED, STOPPED, UNCLAIMED, WORKS, Arms
from attempt import ARMS, CONTROL, FOLDER, SANDBOX, Attempt, attempts, read_attempt
from table import CATALOGUE, README, committed, key, text

ATTEMPTS = attempts()
COMMITTED = committed()
EACH = [(attempt, arm) for attempt in ATTEMPTS for arm in ARMS]


@pytest.mark.parametrize("attempt, arm", EACH, ids=[f"{a.group}/{a.name}-{arm}" for a, arm in EACH])
def test_attack(arms: Arms, attempt: Attempt, arm: str):
    if arm == SANDBOX and arm not in arms.graders:
        pytest.skip("this machine has no level isolated; the other arms are run")
    result = arms.run(attempt, arm)
    assert result in allowed(attempt, arm)
    told = COMMITTED.get((key(attempt), arm))
    # what nobody claims to stop depends on the machine and its load
    unsure = arm != CONTROL and arm not in attempt.claimed and {told, result} == {STOPPED, UNCLAIMED}
    assert told == result or unsure, "tests/attacks/README.md says otherwise; write it anew with: make attacks"


def allowed(attempt: Attempt, arm: str) -> tuple[str, ...]:
    """The results that an attack may have: the control works, or it proves nothing; what an arm claims to stop is stopped."""
    if arm not in attempt.arms:
        return (NOT_TRIED,)
    if arm == CONTROL:
        return (WORKS,)
    if arm not in attempt.claimed:
        return (STOPPED, UNCLAIMED)
    return (FLAGGED,) if attempt.wants == "flag" else (STOPPED,)


def test_every_id_of_the_catalogue_is_tried():
    """The catalogue's attacks are all here, and no file names an id that it does not have."""
    assert len(CATALOGUE) == 87
    assert {name for attempt in ATTEMPTS for name in attempt.ids} == set(CATALOGUE)


def test_the_table_lists_the_attacks_that_there_are():
    """README.md is what `make attacks` writes of the results in it; whether these are right, each attack's test says."""
    assert COMMITTED.keys() == {(key(attempt), arm) for attempt, arm in EACH}
    assert README.read_text(encoding="utf-8") == text(COMMITTED)


def test_an_attack_that_nothing_claims_to_stop_is_rare():
    """What the sandbox does not claim to stop is a short list, and each says why."""
    residual = {attempt.name for attempt in ATTEMPTS if SANDBOX not in attempt.claimed or attempt.arms == ()}
    assert residual == {"kernel_exploit"}


def test_a_file_that_is_no_attack_is_named(tmp_path):
    path = tmp_path / "odd.py"
    for text in ('"""Tries.\n\nwants: everything\n"""\n', '"""Tries.\n\nwants: marks\narms: full sandbox\n"""\n'):
        path.write_text(text)
        with pytest.raises(ValueError, match="odd.py"):
            read_attempt(path)


def test_honest_work_gets_full_marks_from_the_control_and_wrong_work_none(arms: Arms, tmp_path):
    """The control's control: it tells right from wrong, so that what a cheat gets from it is the cheat's."""
    honest = read_attempt(FOLDER / "comparison/uniform_weights.py")
    wrong = dataclasses.replace(honest, parts=(("answer", "", "def softmax(Z, dim=-1):\n    return Z\n"),))
    right = dataclasses.replace(honest, parts=(("answer", "", arms.right["softmax"]),))
    for attempt, result in ((wrong, STOPPED), (right, WORKS)):
        assert arms.run(attempt, CONTROL) == result


def test_no_attack_is_collected_as_a_test(request):
    """pytest imports what it collects, and an attack that is imported runs in this very process."""
    assert not [item for item in request.session.items if FOLDER in item.path.parents]
    assert not [name for name, module in sys.modules.items() if str(FOLDER) in str(getattr(module, "__file__", ""))]
