"""The bundle: the files of a course that grading one assignment needs, as bytes that go to another machine."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from autograder.deck import DeckExercise
from autograder.deckfile import deck_bytes, deck_path


def make_bundle(root: Path, assignment: str, decks: dict[str, DeckExercise], *, seed: int) -> bytes:
    """The assignment's release, staff files and deck. Neither submissions, nor grades, nor other assignments are in it."""
    solutions = [path for path in sorted((root / "solutions" / assignment).iterdir()) if path.suffix in (".py", ".json")]
    files = {path.relative_to(root): path.read_bytes() for path in (root / "release" / assignment / f"{assignment}.ipynb", *solutions)}
    files[deck_path(root, assignment, seed).relative_to(root)] = deck_bytes(decks)
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path.as_posix()), data, zipfile.ZIP_DEFLATED)
    return sink.getvalue()


def lay_out(bundle: bytes, folder: Path) -> None:
    """Write the bundle's files under `folder`, which then serves as the course's root."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        archive.extractall(folder)
