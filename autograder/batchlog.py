"""The log of each submission: what each grading of it gave and how long it took, one file a student, added to and never overwritten."""

from __future__ import annotations

import hashlib
from datetime import datetime, timezone
from pathlib import Path

from autograder import __version__
from autograder.grader import Outcome
from autograder.submissions import Handed


def add_to_log(root: Path, handed: Handed, fingerprint: str, outcome: Outcome) -> None:
    """Append one grading to ``.autograder/logs/<assignment>/<student>.log``, which its owner alone can read."""
    path = log_path(root, handed)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8", errors="replace") as file:
        file.write(entry(fingerprint, outcome, datetime.now(timezone.utc)))


def log_path(root: Path, handed: Handed) -> Path:
    """Where a student's log lies; a name that is too long or odd for a file's is replaced by a digest."""
    name = handed.student
    if len(name.encode("utf-8", "replace")) > 200 or not name.isprintable():
        name = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return root / ".autograder" / "logs" / handed.assignment / f"{name}.log"


def entry(fingerprint: str, outcome: Outcome, when: datetime) -> str:
    """One grading as lines of text."""
    result = outcome.result
    lines = [f"{when:%Y-%m-%d %H:%M:%S} UTC  {result.score:g} of {result.max_score:g}  {result.outcome}: {_line(result.reason)}",
             f"  {_line(result.notebook)} ({fingerprint}), kit {__version__}, {_line(outcome.isolation)}, {outcome.workers} processes"]
    for one in result.exercises:
        took = f"{outcome.seconds[one.name]:.3f} s" if one.name in outcome.seconds else "stands as it was"
        lines.append(f"  {one.name}  {one.score:g} of {one.max_score:g}  {one.outcome}  {took}")
    lines += [f"  note: {_line(remark)}" for remark in result.remarks]
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    """`text` on one line, without characters that would rewrite a terminal's."""
    return "".join(c if c.isprintable() else " " for c in text)
