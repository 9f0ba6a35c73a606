"""Small cases: for each check, the smallest inputs on which known mistakes fail, found when the assignment is built.

A failing answer meets these first, so that most students are shown a case that can be worked out by hand, at once and for
all the same; only an answer that passes them all is shrunk by hypothesis. They come from the public seed, never from the
deck. Those of hidden checks stay with the staff's files.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from autograder.exercise import Exercise
from autograder.explore import PUBLIC_SEED, seed_of, size_of, smallest_failure
from autograder.strategies import packed, unpacked
from autograder.student import local
from autograder.untrusted import wire

KEPT = 6


def find_small_cases(exercise: Exercise, *, visibility: str) -> dict[str, str]:
    """For each check of that visibility, its small cases as text, smallest first."""
    return {check.name: _as_text(_cases(exercise, check)) for check in exercise.checks if check.visibility == visibility}


def _cases(exercise: Exercise, check: Any) -> list[dict[str, Any]]:
    found: dict[bytes, dict[str, Any]] = {}
    for known in exercise.misconceptions:
        seed = seed_of(PUBLIC_SEED, exercise.assignment, exercise.name, check.name)
        failure = smallest_failure(check, local(known.function, exercise), seed=seed)
        if failure is not None:
            found.setdefault(wire.encode(packed(failure.drawn)), failure.drawn)
    return [found[key] for key in sorted(found, key=lambda key: (size_of(found[key]), key))][:KEPT]


def _as_text(cases: list[dict[str, Any]]) -> str:
    return base64.b64encode(wire.encode(packed(cases))).decode("ascii")


def load_small_cases(exercise: Exercise, path: Path) -> None:
    """Read an exercise's small cases from a built file into `exercise.small_cases`; without a sound file there are none."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))["small_cases"][exercise.name]
        exercise.small_cases.update({name: unpacked(wire.decode(base64.b64decode(text))) for name, text in stored.items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, wire.WireError):
        return  # not built yet, or by an older kit: hypothesis shrinks instead, and the build mends it
