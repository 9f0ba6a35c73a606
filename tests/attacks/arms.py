"""The three arms that every attack is run in: the naive grader (the cheat works), the kit without walls, the kit in its sandbox."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import socket
import tempfile
import textwrap
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Iterator

import control
import nbformat
import torch
from attacking import QUICK, THROUGH, TOKEN, Attacked, bystander, graded, listener, make_course, told, written
from attempt import BOUNDARY, CONTROL, SANDBOX, Attempt
from naive_notebook import POINTS
from nbconvert.filters.markdown_mistune import InvalidNotebook, markdown2html_mistune
from parcel import MUCH, Parcel, TakenIn, intake, unpacked_naively

from autograder.answers import reference_answers
from autograder.box import Box, proved
from autograder.course import read_course
from autograder.deck import draw_exercise
from autograder.explore import PUBLIC_SEED
from autograder.grader import Grader, make_grader
from autograder.launch import ISOLATED, NONE, PACKAGE
from autograder.worker import Worker

WORKS, STOPPED, UNCLAIMED, FLAGGED, NOT_TRIED = "works", "stopped", "works, not claimed", "flagged", "not tried"
MARKUP = re.compile(r"<(script|svg|iframe|object)|<[a-z][^>]*\son\w+\s*=|(href|src)=[\s\"\']*(javascript|vbscript):", re.IGNORECASE)
PAGES = 5_000_000  # characters of a report that nobody can open
LONG = 14.0


@dataclass(frozen=True)
class Came:
    """What came of an attack in an arm. received: every byte that left the student's process. markup: what a browser is
    given, None where the page cannot be made. honest: the next student's full marks."""

    marks: float
    shown: str
    printed: str
    received: bytes
    markup: str | None
    honest: bool
    seconds: float
    remarks: str = ""


class Tapped(socket.socket):
    """A worker's channel that keeps every byte that comes out of it."""

    tape = bytearray()

    def recv_into(self, buffer, *more) -> int:
        count = super().recv_into(buffer, *more)
        Tapped.tape += memoryview(buffer)[:count]
        return count


class TappedBox(Box):
    """A box whose workers' channels are tapped."""

    def worker(self) -> Worker:
        worker = super().worker()
        worker.channel = Tapped(fileno=worker.channel.detach())
        return worker


@dataclass(frozen=True)
class Arms:
    """Everything the attacks run in, set up once. `graders` holds the arms that this machine has."""

    course: Path
    release: str
    right: dict[str, str]
    graders: dict[str, Grader]
    naive: control.Control
    places: dict[str, object]
    hidden: frozenset[str]

    def run(self, attempt: Attempt, arm: str) -> str:
        """The result of an attack in an arm, as the table shows it. Raises AssertionError where it harmed more than that."""
        if arm not in attempt.arms:
            return NOT_TRIED
        with tempfile.TemporaryDirectory(prefix="attack-") as name:
            succeeded = self._parcel(attempt, arm, Path(name)) if attempt.pack else self._notebook(attempt, arm, Path(name))
        if succeeded is FLAGGED:
            return FLAGGED
        unclaimed = arm != CONTROL and arm not in attempt.claimed
        return (UNCLAIMED if unclaimed else WORKS) if succeeded else STOPPED

    def _notebook(self, attempt: Attempt, arm: str, folder: Path) -> bool | str:
        came = self._in_process(attempt, folder) if arm == CONTROL else self._graded(attempt, arm, folder)
        assert arm == CONTROL or came.honest, "an honest notebook suffered from the attack before it"
        assert came.markup is not None or attempt.wants == "stop", "no page can be made of the notebook"
        readable = arm == CONTROL or attempt.wants == "secret" and arm not in attempt.claimed
        assert readable or TOKEN not in came.shown and TOKEN.encode() not in came.received, "the token came out"
        if attempt.wants == "flag" and arm != CONTROL:
            return FLAGGED if "For a person to look at" in came.remarks else bool(came.marks)
        return succeeded(attempt, came, self.hidden, arm)

    def _parcel(self, attempt: Attempt, arm: str, folder: Path) -> bool:
        honest = written(self.release, self.right).encode()
        parcel = Parcel(folder, folder / "outside.txt", self.course / "secret.txt", honest)
        came = unpacked_naively(attempt, folder, parcel) if arm == CONTROL else intake(attempt, folder, parcel, self.graders[arm])
        assert arm == CONTROL or came.honest, "the honest notebook in the same parcel suffered"
        assert arm == CONTROL or not came.undeserved
        return taken_in(attempt, came)

    def told(self, arm: str, folder: Path, attempt: Attempt | None) -> str:
        """The cell that tells the attacker where everything lies in an arm, and the public inputs with their answers if it asks."""
        for name in ("target", "packages", "kit"):
            (folder / name).mkdir(exist_ok=True)
            (folder / name).chmod(0o777)
        folder.chmod(0o755)
        real = {"PACKAGES": "/site0", "KIT": "/kit/autograder/untrusted"}
        own = {"PACKAGES": str(folder / "packages"), "KIT": str(folder / "kit")}
        box = self.graders[arm].box.folder.name if arm in self.graders else str(folder)
        pid = self.naive.process.pid if arm == CONTROL else os.getpid()
        public = {"PUBLIC": self.public} if attempt and any("PUBLIC" in code for _, _, code in attempt.parts) else {}
        return told(**self.places, **public, PID=pid, BOX=box, TARGET=str(folder / "target"), **(real if arm == SANDBOX else own))

    @cached_property
    def public(self) -> list[tuple]:
        """What the public checks of softmax ask at a student's desk (and the naive grader's public test), with the answers."""
        asked = [(torch.tensor([[0.0, 1.0, 2.0]], dtype=torch.float64), -1)]
        exercise = self.graders[BOUNDARY].decks["softmax"].exercise
        for check in draw_exercise(exercise, seed=PUBLIC_SEED).checks:
            if check.check.visibility == "public":
                asked += [(op[1][0], op[1][1] if len(op[1]) > 1 else -1) for case in check.cases for op in case.operations]
        return [(Z.tolist(), dim % Z.dim(), Z.softmax(dim).tolist()) for Z, dim in asked if bool(Z.isfinite().all())]

    def _written(self, attempt: Attempt, template: str, before: str, known: dict[str, float] | None = None) -> dict[str, str]:
        """The notebooks of the attacker and of the next student."""
        right = {name: source for name, source in self.right.items() if known is None or name in known}
        answers = {name: source for name, source in attempt.answers.items() if name in right}
        first, cells, following = ([one_statement(source) for source in attempt.sources(marker)] for marker in ("first", "cell", "next"))
        eve = written(template, right | answers, first=[before, *first], cells=cells, change=attempt.change)
        ada = written(template, right, first=[before, *following] if following else [])
        return {"eve": eve, "ada": ada}

    def _in_process(self, attempt: Attempt, folder: Path) -> Came:
        notebooks = self._written(attempt, control.template(), self.told(CONTROL, folder, attempt), POINTS)
        start = time.monotonic()
        judged = self.naive.grade(folder, notebooks, seconds=1.5 if attempt.wants == "stop" else 20)
        others = sum(POINTS.values()) - POINTS[attempt.exercise]
        text = judged.output.decode("utf-8", "replace")
        honest = judged.scores["ada"] == sum(POINTS.values())
        marks = max(0.0, (judged.scores["eve"] or 0.0) - others - 1e-9)
        page = text + markdown2html_mistune(text[:10_000])
        return Came(marks, text, text, judged.output, page, honest, time.monotonic() - start)

    def _graded(self, attempt: Attempt, arm: str, folder: Path) -> Came:
        grader = self.graders[arm]
        course = grader.course.model_copy(update={"limits": grader.course.limits.model_copy(update=_limits(attempt))})
        notebooks = self._written(attempt, self.release, self.told(arm, folder, attempt))
        Tapped.tape = bytearray()
        start = time.monotonic()
        outcome = graded(dataclasses.replace(grader, course=course), notebooks["eve"].encode("utf-8", "surrogatepass"))
        eve = Attacked(outcome.result, outcome.notebook, time.monotonic() - start)
        received = bytes(Tapped.tape)
        after = graded(grader, notebooks["ada"].encode())
        ada = Attacked(after.result, after.notebook, 0.0)
        assert "grader_fault" not in {exercise.outcome for exercise in eve.result.exercises}
        if attempt.group in ("exhausting", "notebook"):
            lost = {*attempt.answers} or ({attempt.exercise} if attempt.wants == "marks" else set())
            assert [e.name for e in eve.result.exercises if e.name not in lost and e.score != e.max_score] == [], "other exercises suffered"
            assert eve.result.max_score == ada.result.max_score
            nbformat.validate(nbformat.reads(eve.notebook, as_version=4))
        answered = attempt.exercise in attempt.answers or attempt.wants == "marks"
        marks = max(eve.exercise(name).score for name in {*attempt.answers, attempt.exercise}) if answered else 0.0
        return Came(marks, eve.text, eve.printed + ada.printed, received, _markup(eve.notebook), ada.result.score == ada.result.max_score,
                    eve.seconds, " ".join(eve.exercise(attempt.exercise).remarks))


def one_statement(source: str) -> str:
    """A cell that ends in a plain ``came_through()`` as one statement: the kit runs what follows one that raised."""
    if not re.search(r"^came_through\(\)", source, re.MULTILINE):
        return source
    return f"def attack():\n{textwrap.indent(source, '    ')}\nattack()"


def _limits(attempt: Attempt) -> dict[str, float]:
    """Short budgets for what uses them up; the others have the course's."""
    if attempt.group != "exhausting" or attempt.wants in ("escape", "resources"):
        return {}
    return QUICK if attempt.answers else QUICK | {"check_seconds": 5.0}


def _markup(notebook: str) -> str | None:
    """What a browser is given of a notebook: its prose as nbgrader renders it, and its outputs other than text and images.

    None where nbgrader's renderer raises.
    """
    parts = []
    for cell in json.loads(notebook)["cells"]:
        if cell["cell_type"] == "markdown":
            try:
                parts.append(markdown2html_mistune("".join(cell["source"])))
            except InvalidNotebook:
                return None
            parts.append(json.dumps(cell.get("attachments", {})))
        for output in cell.get("outputs", []):
            parts += ["".join(data) for kind, data in output.get("data", {}).items() if kind not in ("text/plain", "image/png")]
    return "\n".join(parts)


def succeeded(attempt: Attempt, came: Came, hidden: frozenset[str], arm: str) -> bool:
    """Whether the attack got what it wants."""
    if attempt.wants in ("marks", "flag"):
        return came.marks > 0
    if attempt.wants == "secret":
        return TOKEN.encode() in came.received or TOKEN in came.shown
    if attempt.wants == "inputs":
        flat = "".join(came.shown.split())
        return repr(control.NUMBER) in flat if arm == CONTROL else any(text in flat for text in hidden)
    if attempt.wants == "markup":
        return MARKUP.search(came.markup) is not None
    if attempt.wants == "stop":
        return not came.honest or came.markup is None or len(came.shown) > PAGES or came.seconds > LONG or arm != CONTROL and came.marks > 0
    return THROUGH in came.printed


def taken_in(attempt: Attempt, came: TakenIn) -> bool:
    """Whether a parcel got what it wants."""
    got = {"secret": came.secret, "resources": came.size > MUCH, "stop": not came.honest, "escape": came.outside or came.names}
    return got[attempt.wants]


@contextlib.contextmanager
def arms(folder: Path) -> Iterator[Arms]:
    """Set up all arms, in a course of their own below `folder`."""
    root = make_course(folder)
    os.environ["AUTOGRADER_TEST_TOKEN"] = TOKEN
    course = read_course(root / "course.yaml")
    course = course.model_copy(update={"limits": course.limits.model_copy(update={"memory_mb": 2048, "cpu_seconds": 60})})
    with contextlib.ExitStack() as stack:
        best = make_grader(course, root, "attention", least=NONE)
        stack.callback(best.close)
        graders = {BOUNDARY: _tapped(best, proved(course.limits, NONE, False, []))}  # not as a spare uid: the same for root and others
        stack.callback(graders[BOUNDARY].close)
        if best.box.level == ISOLATED:
            graders[SANDBOX] = _tapped(best, best.box)
        naive = stack.enter_context(control.started(root))
        places = {"COURSE": str(root), "BYSTANDER": stack.enter_context(bystander()), "PORT": stack.enter_context(listener()),
                  "HOME": os.path.expanduser("~"), "REPOSITORY": str(PACKAGE.parent)}
        yield Arms(root, (root / "release/attention/attention.ipynb").read_text(encoding="utf-8"), reference_answers(root, "attention"),
                   graders, naive, places, hidden_inputs(best))
    del os.environ["AUTOGRADER_TEST_TOKEN"]


def _tapped(grader: Grader, box: Box) -> Grader:
    return dataclasses.replace(grader, box=TappedBox(**{field.name: getattr(box, field.name) for field in dataclasses.fields(box)}))


def hidden_inputs(grader: Grader) -> frozenset[str]:
    """The inputs of softmax's hidden checks that no public check has, each as the text of its list; small whole numbers aside."""
    inputs: dict[str, set[str]] = {"public": set(), "hidden": set()}
    for check in grader.decks["softmax"].checks:
        for case in check.cases:
            inputs[check.check.visibility] |= {"".join(str(op[1][0].tolist()).split()) for op in case.operations
                                               if op[1][0].numel() >= 4 and bool((op[1][0] % 1 != 0).any())}
    return frozenset(inputs["hidden"] - inputs["public"])
