"""One submission's run: its worker, replaced when it dies, and the cells that have been run in it.

What comes from a worker is checked here before anybody relies on it: the form of replies, the length of texts, and that
sentences in a verdict are the grader's own and not the student's.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import Any, Callable, TypeVar

from autograder.box import Box
from autograder.course import Limits
from autograder.exercise import Exercise
from autograder.notebook import clean_text
from autograder.rebuild import Cell
from autograder.student import OverLimit
from autograder.untrusted import plain, wire
from autograder.worker import Worker, WorkerDied

MAX_WORKERS = 120
MAX_LINE = 10_000
T = TypeVar("T")


@dataclass
class Run:
    """Runs cells in order. `outputs` and `errors` hold what each gave, `deadly` those that must not be run again, and why.

    `waited`: seconds that workers which were replaced waited for a core; they do not count.
    A worker that ends is no proof against the student's code, for something else may have killed it: what was being done is done once
    more, in a new worker, and only when that ends as well is the code to blame.
    """

    box: Box
    limits: Limits
    deadline: float
    worker: Worker | None = None
    workers: int = 0
    waited: float = 0.0
    done: list[Cell] = field(default_factory=list)
    deadly: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    errors: dict[str, tuple] = field(default_factory=dict)
    output_left: int = 0
    _shaken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.output_left = self.limits.output_kb * 1000

    def seconds(self, most: float) -> float:
        """`most`, or what is left of the submission's time. Raises `OverLimit` when nothing is."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            left += self.waited + (self.worker.waited() if self.worker is not None and not self.worker.closed else 0.0)
        if left <= 0 or self.workers > MAX_WORKERS:
            raise OverLimit("The notebook as a whole ran over its time limit; this was not run any more.")
        return min(most, left)

    def ready(self) -> Worker:
        """A live worker in which all cells so far have been run."""
        while self.worker is None or self.worker.closed:
            self.seconds(1)
            self.waited += self.worker.credited if self.worker is not None else 0.0
            self.worker, self.workers = self.box.worker(), self.workers + 1
            for cell in self.done:
                if cell.cell_id not in self.deadly:
                    try:
                        self._send(cell)
                    except OverLimit as over:  # it did not die the first time, and does now
                        if isinstance(over, WorkerDied) and cell.cell_id not in self._shaken:
                            self._shaken.add(cell.cell_id)
                        else:
                            self.deadly[cell.cell_id] = str(over)
                        break
        return self.worker

    def _surely(self, ask: Callable[[], T]) -> T:
        """What `ask` gives with a worker that is ready; once more where the worker ended."""
        self.ready()
        try:
            return ask()
        except WorkerDied:
            self.ready()
            return ask()

    def _send(self, cell: Cell) -> dict[str, Any]:
        request = wire.encode({"do": "cell", "source": cell.source})
        reply, = self.worker.ask([request], replies=1, seconds=self.seconds(self.limits.cell_seconds))
        return checked_reply(reply)

    def cell(self, cell: Cell) -> None:
        """Run one cell; one that hangs or kills the worker costs only itself."""
        try:
            reply = self._surely(lambda: self._send(cell))
        except OverLimit as over:
            self.deadly[cell.cell_id] = str(over)
            self.errors[cell.cell_id] = ("raised", "Stopped", str(over), -1, "", False)
        else:
            self.outputs[cell.cell_id] = self._within_bounds(reply["outputs"])
            if reply["error"] is not None:
                self.errors[cell.cell_id] = (*reply["error"], reply["syntax"])
        self.done.append(cell)

    def _within_bounds(self, outputs: list[dict[str, str]]) -> list[dict[str, str]]:
        """As many outputs as the notebook as a whole may still have."""
        kept = []
        for output in outputs:
            size = sum(map(len, output.values()))
            if size > self.output_left:
                kept.append({"kind": "stdout", "text": "(more output was left out)\n"})
                break
            self.output_left -= size
            kept.append(output)
        return kept

    def call(self, exercise: Exercise, operation: tuple) -> tuple:
        """Ask the notebook's function or class once and return the checked answer."""
        frames = [calls_request(exercise), wire.encode([[operation]], once=True)]
        reply, = self._surely(lambda: list(self.worker.ask(frames, replies=1, seconds=self.seconds(self.limits.call_seconds))))
        return checked_answers(reply, 1)[0]

    def close(self) -> None:
        """End the worker."""
        if self.worker is not None:
            self.worker.kill()


def calls_request(exercise: Exercise, *, together: bool = False) -> bytes:
    """What comes before a frame of operations: whom they are for, and whether all replies may come at the end."""
    return wire.encode({"do": "calls", "name": exercise.name, "context": exercise.context, "together": together})


def checked_reply(reply: Any) -> dict[str, Any]:
    """A cell's reply with nothing in it but what belongs there; it comes from the student's process."""
    clean: dict[str, Any] = {"error": None, "syntax": False, "outputs": []}
    if not isinstance(reply, dict):
        return clean
    error = reply.get("error")
    if isinstance(error, tuple) and error[:1] == ("raised",):
        clean["error"] = _checked_error(error)
    clean["syntax"] = reply.get("syntax") is True
    for output in reply.get("outputs") if isinstance(reply.get("outputs"), list) else []:
        if isinstance(output, dict) and all(type(v) is str for v in output.values()) and {"kind", "text"} <= output.keys():
            clean["outputs"].append({key: clean_text(output[key]) for key in ("kind", "text", "png") if key in output})
    return clean


def checked_answers(reply: Any, count: int) -> list[tuple]:
    """The answers in a reply, each with the form that the judge relies on; what is no answer is marked as such."""
    reply = reply if isinstance(reply, list) and len(reply) == count else [None] * count
    return [_checked_answer(answer) for answer in reply]


def _checked_answer(answer: Any) -> tuple:
    if isinstance(answer, tuple) and answer and type(answer[0]) is str:
        if answer[0] == "value" and len(answer) == 2:
            return answer
        if answer[0] == "limit":
            return "limit", "It asked for more memory than the limit allows."
        if answer[0] == "unsupported" and len(answer) == 2 and type(answer[1]) is str:
            return "unsupported", _in_our_words(answer[1])
        if answer[0] == "unfit" and len(answer) == 3 and type(answer[1]) is str and type(answer[2]) is str:
            return answer
        if answer[0] == "raised":
            return _checked_error(answer) or ("unsupported", "something that is not an answer")
    return "unsupported", "something that is not an answer"


def _checked_error(error: tuple) -> tuple | None:
    if len(error) != 5 or list(map(type, error)) != [str, str, str, int, str]:
        return None
    _, name, message, line, text = error
    name = name[:60] if name[:60].isidentifier() else "Exception"
    return "raised", name, clean_text(message[:500]), line if 0 < line < MAX_LINE else -1, clean_text(text[:200])


# What a worker may say of a value that cannot cross; anything else is told in general words.
_PHRASES = (r"a (sparse )?tensor of layout torch\.\w{1,20}", "a nested tensor", "a subclass of torch.Tensor",
            r"a tensor on the device (meta|cuda(:\d)?|mps(:\d)?)", r"a tensor of dtype torch\.\w{1,20}", r"a tensor of [\d,]{1,20} entries",
            r"a NumPy array of ([\d,]{1,20} entries|text|objects|no numbers)", "a masked NumPy array",
            "a module and not what it gives when it is called", "a class", "part of an answer of more than 64 MB",
            r"a value of more than [\d,]{1,20} parts", r"a value nested more than \d{1,3} deep", r"a dict whose keys are not all strings",
            r"an int of more than 256 bits", r"a string of more than 100,000 characters",
            r"a result of shape \([\d, ]{0,40}\) where \([\d, ]{0,40}\) is expected",
            r"an object of type (function|method|set|dict|generator|module|map|filter|zip|range|bytes|complex|property|partial)")


def _in_our_words(phrase: str) -> str:
    if any(re.fullmatch(pattern, phrase) for pattern in _PHRASES):
        return phrase
    return plain.UNKNOWN
