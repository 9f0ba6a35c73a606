"""Helpers that the kit's tests import."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from autograder.answers import reference_answers

ROOT = Path(__file__).resolve().parent.parent


@lru_cache
def release_of(assignment: str) -> str:
    """An assignment's release notebook as text."""
    return (ROOT / "release" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8")


@lru_cache
def references_of(assignment: str) -> dict[str, str]:
    """An assignment's reference answers as notebook code."""
    return reference_answers(ROOT, assignment)


def exercise_of(outcome, name: str):
    """One exercise's result."""
    return next(exercise for exercise in outcome.result.exercises if exercise.name == name)


def cells_of(text: str) -> list[dict]:
    """A notebook's cells."""
    return json.loads(text)["cells"]
