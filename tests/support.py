"""Helpers that the kit's tests import."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def exercise_of(outcome, name: str):
    """One exercise's result."""
    return next(exercise for exercise in outcome.result.exercises if exercise.name == name)


def cells_of(text: str) -> list[dict]:
    """A notebook's cells."""
    return json.loads(text)["cells"]
