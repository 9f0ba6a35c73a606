"""The progress of a batch: what is done, what could not be graded, what is left, and where the time goes.

Shown as a bar in a terminal, as one JSON object a line for other programs, or not at all.
"""

from __future__ import annotations

import contextlib
import json
import resource
import time
from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Callable, Iterator, TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from autograder.results import SubmissionResult

NOT_GRADED = ("unreadable", "grader_fault")


class Mode(StrEnum):
    """How progress is shown: `bar` in a terminal (nothing elsewhere), `lines` of JSON on standard output, or `none`."""

    BAR, LINES, NONE = "bar", "lines", "none"


@dataclass
class Tally:
    """What is known of a batch so far. `seconds` has the time that each exercise took, over all submissions, in the workers and the judge."""

    total: int
    known: int = 0
    graded: int = 0
    not_graded: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    started: float = field(default_factory=time.monotonic)

    def add(self, result: SubmissionResult, before: bool, seconds: dict[str, float]) -> None:
        """Count one submission; `before`: it stands as it was graded before."""
        self.known += before
        self.graded += not before
        self.not_graded += result.outcome in NOT_GRADED
        for name, took in seconds.items():
            self.seconds[name] += took

    @property
    def done(self) -> int:
        """How many submissions have a result."""
        return self.known + self.graded

    @property
    def left(self) -> int:
        """How many have none yet."""
        return self.total - self.done

    @property
    def slowest(self) -> tuple[str, float] | None:
        """The exercise that took longest so far, and its seconds a submission."""
        if not self.graded or not self.seconds:
            return None
        name = max(self.seconds, key=self.seconds.__getitem__)
        return name, self.seconds[name] / self.graded

    def sentence(self) -> str:
        """What the bar says beside itself."""
        parts = [f"{self.not_graded} not to be graded"] if self.not_graded else []
        parts.append(f"{self.left} left")
        if self.slowest:
            parts.append(f"slowest {self.slowest[0]} {self.slowest[1]:.2f} s")
        return ", ".join(parts)


@contextlib.contextmanager
def bar(console: Console, tally: Tally, *, shown: bool) -> Iterator[tuple[Callable[[], None], Progress]]:
    """A bar with the tally beside it. Yields what redraws it after each submission, and the progress display, for other tasks."""
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[told]}"), TimeElapsedColumn(),
                  TextColumn("about"), TimeRemainingColumn(), TextColumn("to go"), console=console, disable=not (shown and console.is_terminal)) as drawn:
        task = drawn.add_task("grading", total=tally.total, told=tally.sentence())
        yield lambda: drawn.update(task, completed=tally.done, told=escape(tally.sentence())), drawn


def graded_line(tally: Tally, result: SubmissionResult, before: bool, seconds: dict[str, float]) -> str:
    """One submission as a line of JSON."""
    return json.dumps({"event": "graded", "student": result.student, "score": result.score, "max_score": result.max_score, "outcome": result.outcome,
                       "known_before": before, "seconds": round(sum(seconds.values()), 3), "done": tally.done, "not_graded": tally.not_graded,
                       "left": tally.left, "slowest": tally.slowest[0] if tally.slowest else None})


def finished_line(tally: Tally, *, interrupted: bool, apart: float) -> str:
    """The end of a batch as a line of JSON. `apart`: CPU seconds of student code, which this process's own do not hold."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own = sum(one.ru_utime + one.ru_stime for one in used)
    return json.dumps({"event": "interrupted" if interrupted else "finished", "graded": tally.graded, "known_before": tally.known,
                       "not_graded": tally.not_graded, "left": tally.left, "wall_seconds": round(time.monotonic() - tally.started, 3),
                       "cpu_seconds": {"grader": round(own, 3), "student_code": round(apart, 3)},
                       "peak_memory_mb": round(used[0].ru_maxrss / 1024), "seconds_by_exercise": {k: round(v, 3) for k, v in tally.seconds.items()}})


def write_line(stream: TextIO, line: str) -> None:
    """One line, at once: whoever reads waits for it."""
    stream.write(line + "\n")
    stream.flush()
