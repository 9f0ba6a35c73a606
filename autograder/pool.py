"""The pool: processes forked from the grader, one a core, each with one submission in hand.

It is always known what each has in hand, so one that dies costs no other submission: it is replaced, and what it had is tried once more.
What was in hand when the template died, which all share, is tried again one at a time. What brings down either a second time is set aside.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import warnings
from collections import Counter, deque
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generator, Iterator

from autograder.box import BoxError, start_again
from autograder.grader import Grader, Outcome, set_aside
from autograder.launch import elsewhere
from autograder.submissions import Handed, find_notebook

DIED = "the grader's own process ended twice while it graded this notebook; this is the grader's fault"
TEMPLATE_DIED = "the template process, which starts workers, ended twice while this notebook was graded; this is the grader's fault"
RESTARTS = 10  # of the box in a row, with nothing graded between: then it is not the submissions

Graded = tuple[Handed, Outcome]


@dataclass
class _Hand:
    """A process of the pool, the way to it, and the submission that it has in hand."""

    process: BaseProcess
    pipe: Connection
    holds: Handed | None = None


@dataclass(frozen=True)
class _Failed:
    """Sent in an outcome's place: why there is none, and whether the box is gone."""

    reason: str
    box: bool = False


@dataclass(frozen=True)
class _Gone:
    """The box ended: why, what was in hand, and whether anything had been graded before."""

    reason: str
    in_hand: list[Handed]
    graded: bool


def outcomes(grader: Grader, handed: list[Handed], *, workers: int) -> Iterator[Graded]:
    """Outcomes as they finish. Raises `BoxError` when the box is gone and cannot be started again."""
    if elsewhere():  # no process is forked there
        yield from ((one, grader.grade(one.student, find_notebook(one))) for one in handed)
        return
    gc.collect()
    gc.freeze()
    left, suspects, deaths, restarts = deque(handed), deque(), Counter(), 0
    while left or suspects:
        alone = [suspects.popleft()] if suspects else []
        gone = yield from _turn(grader, deque(alone) or left, 1 if alone else workers, deaths)
        if gone is None:
            continue
        restarts = 1 if gone.graded else restarts + 1
        if restarts > RESTARTS:
            raise BoxError(gone.reason)
        grader.box = start_again(grader.box)
        if alone:
            yield alone[0], _aside(grader, alone[0], TEMPLATE_DIED)
        else:
            suspects.extend(gone.in_hand)


def _turn(grader: Grader, queue: deque[Handed], workers: int, deaths: Counter[str]) -> Generator[Graded, None, _Gone | None]:
    """Grade what is queued, until it is done or the box is gone."""
    some = False
    with _crew(grader, min(workers, len(queue))) as crew:
        _hand_out(queue, crew)
        while any(hand.holds for hand in crew):
            finished, gone = _received(grader, queue, crew, deaths)
            if gone is None:
                _hand_out(queue, crew)  # before the results are written: nobody waits for that
            some = some or bool(finished)
            yield from finished
            if gone is not None:
                return _Gone(gone.reason, [hand.holds for hand in crew if hand.holds], some)
    return None


def _hand_out(queue: deque[Handed], crew: list[_Hand]) -> None:
    for hand in crew:
        if hand.holds is None and queue:
            hand.holds = queue.popleft()
            with contextlib.suppress(OSError):  # it is dead, which shows when it is asked
                hand.pipe.send(hand.holds)


def _received(grader: Grader, queue: deque[Handed], crew: list[_Hand], deaths: Counter[str]) -> tuple[list[Graded], _Failed | None]:
    """What has been graded, once there is something, and whether somebody found the box gone (what is in hand then stays in hand)."""
    finished, gone = [], None
    for pipe in wait([hand.pipe for hand in crew if hand.holds]):
        place = next(place for place, hand in enumerate(crew) if hand.pipe is pipe)
        one, said = crew[place].holds, _said(pipe)
        if isinstance(said, _Failed) and said.box:
            gone = said
            continue
        crew[place].holds = None
        if said is None:
            _end(crew[place])
            crew[place] = _start(grader)
            deaths[one.student] += 1
            if deaths[one.student] < 2:
                queue.appendleft(one)
                continue
            said = _Failed(DIED)
        finished.append((one, _aside(grader, one, said.reason) if isinstance(said, _Failed) else said))
    return finished, gone


def _said(pipe: Connection) -> Outcome | _Failed | None:
    """What a process answers; None where it is dead."""
    try:
        return pipe.recv()
    except (EOFError, OSError):
        return None


def _aside(grader: Grader, handed: Handed, reason: str) -> Outcome:
    return set_aside(grader.blueprint, grader.decks, handed.student, reason, isolation=grader.box.sentence)


@contextlib.contextmanager
def _crew(grader: Grader, workers: int) -> Iterator[list[_Hand]]:
    crew: list[_Hand] = []
    try:
        for _ in range(workers):
            crew.append(_start(grader))
        yield crew
    finally:
        for hand in crew:
            _end(hand)


def _start(grader: Grader) -> _Hand:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(grader, theirs, os.getpid()), daemon=True)
    process.start()
    theirs.close()
    return _Hand(process, ours)


def _end(hand: _Hand) -> None:
    hand.process.kill()
    hand.process.join()
    hand.pipe.close()


def _serve(grader: Grader, pipe: Connection, parent: int) -> None:
    """In the process: grade what comes, until the grader ends. Interrupts are the grader's business, and what the staff's wrong answers
    warn of is nobody's."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with(parent)
    while True:
        pipe.send(_graded(grader, pipe.recv()))


def die_with(parent: int) -> None:
    """Let this process be killed when its parent is."""
    from autograder.untrusted import confine
    confine.prctl(confine.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _graded(grader: Grader, handed: Handed) -> Outcome | _Failed:
    try:
        return grader.grade(handed.student, find_notebook(handed))
    except BoxError as gone:
        return _Failed(str(gone), box=True)
    except Exception as error:  # noqa: BLE001 - the batch goes on
        return _Failed(f"the grader failed ({type(error).__name__}); this is not the student's fault")
