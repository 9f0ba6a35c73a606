"""Tells: numbers by which an answer that makes a known mistake is recognised at the student's desk, where its code is not.

When an assignment is built, every misconception answers the cases that the public checks draw at the desk. Of the cases that
it fails, two random projections of all its answers are kept, a few cases a check. They are wrong answers' numbers, and two
for a whole case: neither the mistake nor a right value can be computed from them.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from autograder.behaviour import by_chance, says_nothing
from autograder.places import built_file
from autograder.case import Case
from autograder.exercise import PUBLIC, Answer, Check, Exercise
from autograder.failing import Failing, desk_cases, known_failing
from autograder.untrusted import wire

KEPT = 6  # cases of a check, spread evenly over those that fail
TOLERANCE = 1e-5
_LENGTH = 4096
_WEIGHTS = np.random.RandomState(12).uniform(-1.0, 1.0, (2, _LENGTH))  # of the legacy generator: the same for ever


@dataclass(frozen=True, eq=False)
class Tell:
    """One known mistake: `sentence` completes "It behaves like …"; `marks` has, by check, the numbers of failing cases kept."""

    sentence: str
    marks: dict[str, Mark]


@dataclass(frozen=True)
class Mark:
    """What is kept of a check that a mistake fails: which cases fail, and two numbers for each of those kept."""

    failing: tuple[int, ...]
    numbers: np.ndarray


def find_tells(exercise: Exercise) -> str:
    """The tells of an exercise as text: of every misconception that fails a public check at the desk."""
    rows, numbers = [], []
    for known in exercise.misconceptions:
        marks = {}
        for check in exercise.checks:
            failing, kept_numbers = _marked(exercise, check, known) if check.visibility == PUBLIC else ([], [])
            if failing:
                marks[check.name] = sum(1 << place for place in failing)  # one bit a case
                numbers += kept_numbers
        if marks:
            rows.append([known.tell, marks])
    flat = torch.from_numpy(np.array(numbers, dtype=np.float32).reshape(-1, 2))
    return base64.b64encode(wire.encode([rows, flat])).decode("ascii")


def find_fails(exercise: Exercise) -> dict[str, list[str]]:
    """For every misconception the checks that it fails on the public seed, hidden ones too."""
    return {known.name: [check.name for check in exercise.checks if _marked(exercise, check, known)[0]] for known in exercise.misconceptions}


def _marked(exercise: Exercise, check: Check, known: Answer) -> tuple[list[int], list[np.ndarray]]:
    """The cases of a check that a misconception fails, and the numbers of those kept."""
    failing = known_failing(exercise, check, known)
    return sorted(failing), [_projected(failing[place][1])[0] for place in kept(sorted(failing))]


def kept(failing: list[int]) -> list[int]:
    """Those of the failing cases whose numbers are kept."""
    return [failing[i * len(failing) // KEPT] for i in range(KEPT)] if len(failing) > KEPT else failing


@lru_cache(maxsize=None)
def known_tells(exercise: Exercise) -> list[Tell]:
    """The tells of an exercise, as built; without a sound file there are none."""
    try:
        text = json.loads(built_file(exercise.assignment).read_text(encoding="utf-8"))["tells"][exercise.name]
        rows, flat = wire.decode(base64.b64decode(text))
    except (OSError, ValueError, KeyError, TypeError, wire.WireError):
        return []
    return _unpacked(rows, flat.numpy().astype(np.float64))


def _unpacked(rows: list, flat: np.ndarray) -> list[Tell]:
    tells, at = [], 0
    for sentence, stored in rows:
        marks = {}
        for name, bits in stored.items():
            failing = [place for place in range(bits.bit_length()) if bits >> place & 1]
            count = len(kept(failing))
            marks[name] = Mark(tuple(failing), flat[at:at + count])
            at += count
        tells.append(Tell(sentence, marks))
    return tells


def recognised(exercise: Exercise, failures: dict[str, Failing]) -> dict[str, set[str]]:
    """The tells that an answer shows, each with the checks in whose failing cases the answer agrees with the mistake.

    failures: the failing cases of every public check that fails. A mistake that also fails a check that holds is left out.
    """
    shown: dict[str, set[str]] = {}
    public = [check for check in exercise.checks if check.visibility == PUBLIC]
    if all(len(failures.get(check.name, ())) == len(desk_cases(exercise, check)) for check in public) and says_nothing(call for failing in failures.values() for _, case in failing.values() for call in case.calls):
        return shown
    projected: dict[tuple[str, int], tuple[np.ndarray, float]] = {}
    for tell in known_tells(exercise):
        if tell.marks.keys() <= failures.keys():
            same = {name for name, mark in tell.marks.items() if _agrees(name, mark, failures[name], projected)}
            if same and not by_chance(same, tell.marks):
                shown[tell.sentence] = shown.get(tell.sentence, set()) | same
    return shown


def _agrees(name: str, mark: Mark, failing: Failing, projected: dict) -> bool:
    if mark.failing != tuple(sorted(failing)):
        return False
    for place, numbers in zip(kept(list(mark.failing)), mark.numbers):
        if (name, place) not in projected:
            projected[name, place] = _projected(failing[place][1])
        mine, scale = projected[name, place]
        if not (np.abs(mine - numbers) <= TOLERANCE * scale + 1e-6 * np.abs(numbers)).all():
            return False
    return True


def _projected(case: Case) -> tuple[np.ndarray, float]:
    """Two random projections of all answers of a case, which also depend on their form, and the size of the largest entry."""
    form: list[str] = []
    parts: list[np.ndarray] = [np.zeros(0)]
    for _, answer in case.calls:
        if answer[:2] != ("unfit", "other names"):  # asked again at once
            _take(answer, form, parts)
    numbers = np.concatenate(parts).clip(-1e30, 1e30)  # infinities too
    scale = float(np.abs(numbers[np.abs(numbers) < 1e30]).max(initial=1.0))
    numbers = np.where(np.isnan(numbers), 0.7 * scale, np.where(np.abs(numbers) < 1e30, numbers, 2 * scale * np.sign(numbers)))
    weights = np.resize(_WEIGHTS[0], numbers.shape), np.resize(_WEIGHTS[1], numbers.shape)
    digest = zlib.crc32(" ".join(form).encode())
    offset = np.array([digest % 65536, digest // 65536]) / 8192
    return scale * offset + np.array([numbers @ one for one in weights]) / max(1, len(numbers)) ** 0.5, scale


def _take(value: Any, form: list[str], parts: list[np.ndarray]) -> None:
    """Add the form and the numbers of one answer. Dtypes play no part, nor messages of exceptions."""
    if isinstance(value, torch.Tensor):
        form.append(f"{tuple(value.shape)}{'c' if value.is_complex() else ''}")
        value = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
        parts.append(value.detach().to(torch.float64).numpy().reshape(-1))
    elif isinstance(value, (list, tuple)) and value and isinstance(value[0], str) and value[0] == "raised":
        form.append(f"raised {value[1]}")
    elif isinstance(value, (list, tuple)):
        form.append(f"[{len(value)}")
        for item in value:
            _take(item, form, parts)
    elif isinstance(value, dict):
        form.append(" ".join(sorted(value)))
        for key in sorted(value):
            _take(value[key], form, parts)
    elif isinstance(value, (bool, int, float)):
        form.append("number")
        parts.append(np.array([float(value)]))
    else:
        form.append(str(value)[:60])
