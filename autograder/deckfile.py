"""Keeping a drawn deck: the same kit, exercises and seed need not draw it again.

The file lies in the course's folder (``.autograder/``, readable by its owner only), which student code cannot see. It is
written with the wire's codec, so nothing is unpickled, and a damaged one is drawn anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Any

import hypothesis
import torch

from autograder import __version__
from autograder.deck import DeckCase, DeckCheck, DeckExercise, draw_deck
from autograder.exercise import Exercise
from autograder.strategies import packed, unpacked
from autograder.untrusted import wire
from autograder.untrusted.plain import Unsupported

KEPT = 8


def kept_deck(root: Path, assignment: str, exercises: dict[str, Exercise], *, seed: int) -> dict[str, DeckExercise]:
    """The deck of `assignment`, from the file where there is one. Raises `CourseError` as `draw_deck` does."""
    path = deck_path(root, assignment, seed)
    with contextlib.suppress(OSError, wire.WireError, KeyError, ValueError, TypeError, IndexError):
        return _unpacked(wire.decode(path.read_bytes(), max_header=wire.MAX_FRAME), exercises)
    decks = draw_deck(exercises, seed=seed)
    with contextlib.suppress(OSError, Unsupported):  # a course on a read-only disk draws every time
        _write(path.parent, path, deck_bytes(decks))
    return decks


def deck_path(root: Path, assignment: str, seed: int) -> Path:
    """Where the deck of this kit, assignment and seed is kept."""
    return root / ".autograder" / f"deck-{assignment}-{version_of(root, assignment, seed)}.bin"


def deck_bytes(decks: dict[str, DeckExercise]) -> bytes:
    """What is kept of a deck."""
    return wire.encode(_packed(decks), once=True)


def _write(folder: Path, path: Path, data: bytes) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
    temporary.replace(path)
    for old in sorted(folder.glob("deck-*.bin"), key=lambda p: p.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)


def version_of(root: Path, assignment: str, seed: int) -> str:
    """Changes with anything that a deck and a grade depend on: the kit's code, the staff's files, the libraries, the seed."""
    package = Path(__file__).parent
    digest = hashlib.sha256(repr((__version__, seed, torch.__version__, hypothesis.__version__)).encode())
    folders = (package, package / "untrusted", package / "exercises" / assignment, root / "solutions" / assignment)
    for path in (path for folder in folders for path in sorted(folder.glob("*.py"))):  # wherever kit and course lie
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def _packed(decks: dict[str, DeckExercise]) -> dict[str, Any]:
    return {name: [[deck_check.check.name, [packed([case.drawn, case.operations, case.answers, case.reference]) for case in deck_check.cases]]
                   for deck_check in deck.checks] for name, deck in decks.items()}


def _unpacked(tree: dict[str, Any], exercises: dict[str, Exercise]) -> dict[str, DeckExercise]:
    decks = {}
    for name, exercise in exercises.items():
        stored = dict(tree[name])
        checks = [DeckCheck(check, [DeckCase(*unpacked(case)) for case in stored[check.name]]) for check in exercise.checks]
        decks[name] = DeckExercise(exercise, checks)
    return decks
