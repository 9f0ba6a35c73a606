"""The box around student code: starting the template process at the best level, proving it, handing out workers.

Levels, best first: ``isolated`` (bubblewrap, namespaces of its own for every submission, system-call filter, limits), ``confined``
(Landlock, filter, limits), ``limited`` (filter and limits), ``none`` (a separate process with limits). The verdict is outside the
student's process at every level.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from autograder import canaries
from autograder.canaries import CLAIMS, NAMES
from autograder.cgroup import SENTENCE, remove_group
from autograder.course import Limits
from autograder.fresh import fresh_worker
from autograder.launch import ISOLATED, LEVELS, LIMITED, NONE, elsewhere, launch, why_not
from autograder.places import CourseError
from autograder.student import OverLimit
from autograder.untrusted import wire
from autograder.untrusted.control import FORK, READY, STOP
from autograder.worker import Worker, kill, waited_for_a_core

START_SECONDS = 90.0


class BoxError(CourseError):
    """The box could not be started, or is weaker than the course accepts. The message says what helps."""


class TemplateGone(BaseException):
    """There is no template any more to hand out workers. It passes every check: no student is to answer for it."""


@dataclass
class Box:
    """A running template. `level` is how its workers are isolated, `missing` why it is not better, `canaries` what was stopped.

    `cpu_seconds` is what the template and its workers took, known after `close`. Outside Linux there is no template (no `process`):
    every worker is a program of its own.
    """

    level: str
    missing: str
    address: str
    process: subprocess.Popen | None
    folder: tempfile.TemporaryDirectory
    limits: Limits
    log: Path
    group: Path | None = None
    cpu_seconds: float = 0.0
    canaries: dict[str, bool] = field(default_factory=dict)
    _controls: dict[int, socket.socket] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """How submissions were kept apart, for a person: the level, what it did not stop, and why it is no better."""
        came_through = [name for name, stopped in self.canaries.items() if not stopped]
        text = f"isolation level {self.level}"
        text += f"; a submission could {', '.join(came_through)}" if came_through else f"; all {len(self.canaries)} canaries stopped"
        text += f"; {SENTENCE}" if self.group else ""
        return text + (f" ({self.missing})" if self.missing else "")

    def worker(self) -> Worker:
        """A fresh worker, forked from the template. Raises `TemplateGone` when there is none."""
        if self.process is None:
            return self._program()
        try:
            control = self._control()
            control.sendall(FORK)
            control.settimeout(START_SECONDS)
            _, descriptors, _, _ = socket.recv_fds(control, 16, 2)
            channel, pidfd = descriptors
        except (OSError, ValueError) as error:
            self._controls.pop(os.getpid(), None)
            raise TemplateGone(f"the template process gave no worker ({error}); its log says: {self.tail()}") from error
        return Worker(socket.socket(fileno=channel), lambda: kill(pidfd), lambda: waited_for_a_core(pidfd))

    def _program(self) -> Worker:
        try:
            channel, process = fresh_worker(self.limits, Path(self.folder.name), self.log, seconds=START_SECONDS)
        except OSError as error:
            raise TemplateGone(f"no worker could be started ({error}); its log says: {self.tail()}") from error
        return Worker(channel, process.kill)

    def _control(self) -> socket.socket:
        """This process's own connection to the template."""
        if os.getpid() not in self._controls:
            self._controls[os.getpid()] = _connect(self.address)
        return self._controls[os.getpid()]

    def tail(self) -> str:
        """The last lines of the template's log."""
        with contextlib.suppress(OSError):
            return " ".join(self.log.read_text(errors="replace").split())[-400:] or "nothing"
        return "nothing"

    def close(self) -> None:
        """End the template and everything in it: politely first, so that it tells its CPU time."""
        if self.process is None:
            self.folder.cleanup()
            return
        with contextlib.suppress(OSError, TemplateGone, struct.error):
            control = self._control()
            control.settimeout(2.0)
            control.sendall(STOP)
            self.cpu_seconds, = struct.unpack("<d", control.recv(8))
        self.process.kill()
        self.process.wait()
        remove_group(self.group)
        for control in self._controls.values():
            control.close()
        self.folder.cleanup()


def start_box(limits: Limits, *, best: str = ISOLATED) -> Box:
    """Start the best box that this machine allows, `best` at most: each level is started and its canaries are let loose in it."""
    missing: list[str] = []
    for level in LEVELS[LEVELS.index(best):]:
        lacking = why_not(level)
        if lacking:
            missing.append(f"{level}: {lacking}")
            continue
        if elsewhere():
            return _without_template(limits)
        for spare in _uids():
            try:
                box = _proved_in_two(limits, level, spare, missing)
                if level in (LIMITED, NONE) and sys.platform == "linux":  # nothing else keeps a worker from /proc/<pid>/mem
                    from autograder.untrusted import confine
                    confine.prctl(confine.PR_SET_DUMPABLE, 0)
                return box
            except (BoxError, TemplateGone, OverLimit, OSError) as error:
                missing.append(f"{level}{' under a spare uid' if spare else ''}: {error}")
    raise BoxError(f"no worker could be started at all: {'; '.join(missing)}")


def _uids() -> list[bool]:
    """Whether to give up root for a spare uid: tried first where we are root."""
    return [True, False] if os.getuid() == 0 else [False]


def _proved_in_two(limits: Limits, level: str, spare: bool, missing: list[str]) -> Box:
    """`proved`, and once more where the template or its worker ended before it showed anything: somebody may have killed it."""
    try:
        return proved(limits, level, spare, missing)
    except (TemplateGone, OverLimit, OSError):
        return proved(limits, level, spare, missing)


def start_again(box: Box) -> Box:
    """A box in the place of one whose template is gone, proved to keep submissions apart just as well.

    Raises `BoxError` where none is to be had.
    """
    if box.process is None:
        return box
    box.close()
    reasons = []
    for spare in _uids():
        try:
            again = _proved_in_two(box.limits, box.level, spare, [box.missing] if box.missing else [])
        except (BoxError, TemplateGone, OverLimit, OSError) as error:
            reasons.append(str(error))
            continue
        if again.sentence == box.sentence:
            return again
        reasons.append(f"now {again.sentence}")
        again.close()
    raise BoxError(f"the template process ended, and no other like it could be started: {'; '.join(reasons)}. What is graded is kept; see "
                   "what kills processes here (dmesg tells when memory ran out), then run the same command again")


def _without_template(limits: Limits) -> Box:
    folder = tempfile.TemporaryDirectory(prefix="autograder-box-", ignore_cleanup_errors=True)
    return Box(NONE, elsewhere(), "", None, folder, limits, Path(folder.name, "log"), canaries=dict.fromkeys(NAMES, False))


def proved(limits: Limits, level: str, spare: bool, missing: list[str]) -> Box:
    """A box of just this level, under a `spare` uid or not. Raises `BoxError` where one of its canaries comes through."""
    started = launch(limits, level, spare=spare)
    box = Box(level, "; ".join(missing), started.address, started.process, started.folder, limits, started.log, started.group)
    try:
        box.canaries = _let_loose(box)
        failed = sorted(name for name in CLAIMS[level] if not box.canaries[name])
        if failed:
            raise BoxError(f"a worker could {', '.join(failed)}")
        return box
    except BaseException:
        box.close()
        raise


def _let_loose(box: Box) -> dict[str, bool]:
    canary = Path(box.folder.name, "canary")
    canary.write_text("seen")
    worker = box.worker()
    try:
        reply, = worker.ask([wire.encode({"do": "cell", "source": canaries.source(canary, os.getpid())})], replies=1, seconds=START_SECONDS)
    finally:
        worker.kill()
    return canaries.outcome("".join(output["text"] for output in reply["outputs"]))


def require_level(box: Box, least: str) -> None:
    """Raise `BoxError` when `box` is weaker than `least`."""
    if LEVELS.index(box.level) > LEVELS.index(least):
        if elsewhere():
            raise BoxError(f"student code is not graded here: {elsewhere()}, and course.yaml asks for '{least}' at least. "
                           "Grade on Linux (on Windows in WSL, on a Mac in a virtual machine). To grade here all the same, without walls, "
                           f"name the level: --least-isolation {box.level}")
        raise BoxError(f"student code would run at isolation level '{box.level}', and course.yaml asks for '{least}' at least "
                       f"({box.missing}). On Debian or Ubuntu: apt-get install bubblewrap. To grade all the same, name the "
                       f"level: --least-isolation {box.level}")


def _connect(address: str) -> socket.socket:
    control = socket.socket(socket.AF_UNIX)
    control.settimeout(START_SECONDS)
    control.connect(address)
    if control.recv(len(READY)) != READY:
        raise TemplateGone("the template ended before it was ready")
    return control
