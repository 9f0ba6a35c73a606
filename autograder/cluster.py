"""A class on a cluster: submissions go as bytes to the workers of a Dask scheduler, and results come back as bytes.

Each worker holds a `Station`, which is sent once what grading needs. This process alone writes the gradebook. When a worker dies others take
over, which is Dask's work; what was on it too often is tried once more with nothing else beside it, and set aside when that fails too.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import logging
import secrets
import time
import warnings
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator

from autograder.blueprint import Blueprint
from autograder.bundle import make_bundle
from autograder.course import Course
from autograder.deck import DeckExercise
from autograder.deckfile import version_of
from autograder.grader import Outcome, read_deck, set_aside
from autograder.launch import LEVELS
from autograder.node import installed
from autograder.places import CourseError
from autograder.results import SubmissionResult
from autograder.submissions import Handed, raw_notebook

try:
    import distributed
    from distributed.scheduler import KilledWorker
except ImportError as missing:
    raise CourseError("--scheduler needs Dask, which is not installed; "
                      "install it with: python -m pip install -c constraints.txt '.[cluster]'") from missing
from autograder.station import Station, grade_parcels, state

CONNECT_SECONDS, PATIENCE_SECONDS = 15, 60
MOST, MOST_BYTES = 16, 4 << 20  # of one task
MEND = "Install the same there, from this kit's folder: python -m pip install -c constraints.txt '.[cluster]'; then start the worker again"
KEPT = "What is graded is kept; the same command goes on from there"
KILLED = "the machine or process of the cluster that graded this notebook ended each time; this is the grader's fault"

Graded = tuple[Handed, Outcome]


@dataclass(frozen=True)
class Walls:
    """How a worker's node keeps submissions apart; as in `Box`."""

    level: str
    missing: str
    canaries: dict[str, bool]
    sentence: str
    cpu_seconds: float = 0.0


@dataclass
class Fleet:
    """The workers of a scheduler that grade one assignment. `walls` by their sentence, `refused` by the worker's address."""

    course: Course
    blueprint: Blueprint
    decks: dict[str, DeckExercise]
    scheduler: str
    client: distributed.Client
    name: str
    walls: dict[str, Walls] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def box(self) -> Walls:
        """The weakest walls of all."""
        return max(self.walls.values(), key=lambda walls: LEVELS.index(walls.level))

    @property
    def sentences(self) -> tuple[str, ...]:
        """In words, all the ways in which workers keep submissions apart."""
        return tuple(self.walls)

    @property
    def told(self) -> str:
        """What a person is told at the start."""
        count = len(self._nthreads())
        refusals = [f"left out: worker {address}: {reason}" for address, reason in self.refused.items()]
        return "\n".join([f"{count} workers of {self.scheduler}: {'; or '.join(self.walls)}", *refusals])

    def outcomes(self, handed: list[Handed]) -> Iterator[Graded]:
        """Outcomes as they finish. Raises `CourseError` when the scheduler or all workers are lost."""
        suspects: dict[Handed, str] = {}
        yield from self._graded(deque(handed), suspects)
        for one in list(suspects):
            again: dict[Handed, str] = {}
            yield from self._graded(deque([one]), again)
            if again:
                yield one, self._aside(one, again[one])

    def _graded(self, queue: deque[Handed], suspects: dict[Handed, str]) -> Iterator[Graded]:
        """Outcomes of what is queued, but of those that became suspects: what was being graded when a worker died."""
        flying: dict[distributed.Future, list[Handed]] = {}
        try:
            while queue or flying:
                self._send(queue, flying)
                for future in self._finished(flying):
                    batch = flying.pop(future)
                    answers = self._answers(future, len(batch))
                    self._send(queue, flying)  # before the results are written: nobody waits for that
                    yield from self._sorted(dict(zip(batch, answers)), queue, suspects)
        finally:
            with contextlib.suppress(Exception):
                self.client.cancel(list(flying))

    def _sorted(self, answers: dict[Handed, dict[str, Any]], queue: deque[Handed], suspects: dict[Handed, str]) -> Iterator[Graded]:
        for one, answer in answers.items():
            if "refused" in answer:
                self.refused[answer["by"]] = answer["refused"]
                queue.append(one)
            elif "ended" in answer:
                suspects[one] = answer["ended"]
            elif "failed" in answer:
                yield one, self._aside(one, answer["failed"])
            else:
                if answer["isolation"] not in self.walls:  # of a worker that came later
                    self.look()
                result = SubmissionResult.model_validate(answer["result"]).model_copy(update={"student": one.student})
                yield one, Outcome(result, answer["notebook"], answer["isolation"], answer["seconds"], answer["workers"])

    def _send(self, queue: deque[Handed], flying: dict[distributed.Future, list[Handed]]) -> None:
        """Keep two tasks for each thread under way; the fewer are left, the smaller they are, so that all end at about the same time."""
        nthreads = self._nthreads() if queue else {}
        total = sum(nthreads.values())
        while queue and total and len(flying) < 2 * total:
            batch, parcels, size = [], [], 0
            while queue and size < MOST_BYTES and len(batch) < max(1, min(MOST, (len(queue) + len(batch)) // (3 * total))):
                batch.append(queue.popleft())
                parcels.append(_parcel(batch[-1]))
                size += len(parcels[-1][1])
            with _lost(self.scheduler):
                future = self.client.submit(grade_parcels, self.name, parcels, pure=False, workers=list(nthreads) if self.refused else None)
            flying[future] = batch

    def _nthreads(self) -> dict[str, int]:
        """The threads of each worker that does not refuse. Raises `CourseError` where all do."""
        with _lost(self.scheduler):
            every = self.client.nthreads()
        accepted = {address: count for address, count in every.items() if address not in self.refused}
        if every and not accepted:
            raise CourseError(_refusals(self.refused))
        return accepted

    def _finished(self, flying: dict[distributed.Future, list[Handed]]) -> list[distributed.Future]:
        """The tasks that are done, once one is. Raises `CourseError` when the scheduler, or for long every worker, is gone."""
        alone_since = None
        while True:
            with _lost(self.scheduler), contextlib.suppress(distributed.TimeoutError), self.client.as_current():
                if flying:
                    return list(distributed.wait(list(flying), timeout=2, return_when="FIRST_COMPLETED").done)
                time.sleep(0.5)
            if self.client.status != "running":
                raise CourseError(_gone(self.scheduler))
            if self._nthreads():
                alone_since = None
                if not flying:
                    return []
            else:
                alone_since = alone_since or time.monotonic()
                if time.monotonic() - alone_since > PATIENCE_SECONDS:
                    raise CourseError(f"no worker is left at {self.scheduler}; start some with: dask worker {self.scheduler}. {KEPT}")

    def _answers(self, future: distributed.Future, count: int) -> list[dict[str, Any]]:
        try:
            with _lost(self.scheduler):
                return [json.loads(answer) for answer in future.result()]
        except KilledWorker:
            return [{"ended": KILLED}] * count
        except CourseError:
            raise
        except Exception as error:  # noqa: BLE001 - not by what was handed in: that is told in the answers
            said = f"a worker of {self.scheduler} failed ({type(error).__name__}: {error}); its own log says more. {KEPT}"
            raise CourseError(said) from error

    def _aside(self, one: Handed, reason: str) -> Outcome:
        return set_aside(self.blueprint, self.decks, one.student, reason, isolation=self.box.sentence)

    def look(self) -> None:
        """Ask all workers how they keep submissions apart. Raises `CourseError` where every one refuses."""
        with _lost(self.scheduler):
            states = self.client.run(state, self.name, on_error="ignore")
        for address, said in states.items():
            if "refused" in said:
                self.refused[address] = said["refused"]
            else:
                self.walls.setdefault(said["walls"]["sentence"], Walls(**said["walls"]))
        if not self.walls:
            raise CourseError(_refusals(self.refused))

    def close(self) -> None:
        """Take the stations away again, and all that was sent with them."""
        with contextlib.suppress(Exception):
            if self.client.status == "running":
                self.client.unregister_worker_plugin(self.name)
        with contextlib.suppress(Exception):
            self.client.close(timeout=3)


def connect(course: Course, root: Path, assignment: str, scheduler: str, *, least: str | None = None) -> Fleet:
    """Make the workers of a scheduler ready to grade an assignment. Raises `CourseError` with what to do about it."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is told as an error of ours
    warnings.filterwarnings("ignore", message="Sending large graph")
    blueprint, decks = read_deck(course, root, assignment)
    fleet = Fleet(course, blueprint, decks, scheduler, _client(scheduler), f"autograder-{assignment}-{secrets.token_hex(6)}")
    try:
        _wait_for_workers(fleet)
        _compare(fleet)
        bundle = make_bundle(root, assignment, decks, seed=course.seed)
        with _lost(scheduler):
            fleet.client.register_plugin(Station(fleet.name, _order(course, root, assignment, least), bundle))
        fleet.look()
        return fleet
    except BaseException:
        fleet.close()
        raise


def _order(course: Course, root: Path, assignment: str, least: str | None) -> bytes:
    """What a node is told. Not where the gradebook is: db_url may hold a password."""
    return json.dumps({"course": course.model_dump(mode="json", exclude={"db_url"}), "assignment": assignment,
                       "version": version_of(root, assignment, course.seed), "least": least or course.isolation.least,
                       "installed": installed(), "mend": MEND}).encode()


def _client(scheduler: str) -> distributed.Client:
    try:
        return distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError, distributed.TimeoutError) as error:
        raise CourseError(f"no scheduler answers at {scheduler} ({str(error).splitlines()[0] if str(error) else type(error).__name__}); "
                          "start one with: dask scheduler, which prints its address") from error


def _wait_for_workers(fleet: Fleet) -> None:
    try:
        fleet.client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
    except (OSError, distributed.TimeoutError) as error:
        raise CourseError(f"the scheduler at {fleet.scheduler} has no workers; start some with: dask worker {fleet.scheduler}") from error


def _compare(fleet: Fleet) -> None:
    """Raise `CourseError` where a worker has another Python, Dask or kit than this machine."""
    with _lost(fleet.scheduler):
        told = fleet.client.get_versions(packages=["transformer-homework", "torch", "hypothesis"])
    here = _packages(told["client"])
    for address, worker in told["workers"].items():
        there = _packages(worker)
        other = [f"{name} {there.get(name) or 'not at all'} (here {version})" for name, version in here.items() if there.get(name) != version]
        if other:
            raise CourseError(f"worker {address} has {', '.join(other)}. {MEND}")


def _packages(told: dict[str, Any]) -> dict[str, str]:
    packages = {name: told["packages"].get(name) for name in ("transformer-homework", "distributed", "torch", "hypothesis")}
    return packages | {"python": ".".join(str(told["packages"]["python"]).split(".")[:2])}


def _parcel(handed: Handed) -> tuple[bytes, bytes]:
    """A submission as it is sent: nothing says whose it is."""
    raw = raw_notebook(handed)
    about = {"name": raw.name, "data": raw.data is not None, "reason": raw.reason, "remarks": raw.remarks}
    return json.dumps(about).encode(), raw.data or b""


def _refusals(refused: dict[str, str]) -> str:
    return "no worker grades:\n" + "\n".join(f"worker {address}: {reason}" for address, reason in refused.items())


def _gone(scheduler: str) -> str:
    return f"the connection to the scheduler at {scheduler} was lost; see whether it still runs, and start it again. {KEPT}"


@contextlib.contextmanager
def _lost(scheduler: str) -> Iterator[None]:
    """Turn a lost connection into a `CourseError`."""
    try:
        yield
    except distributed.TimeoutError:
        raise
    except (OSError, asyncio.CancelledError, concurrent.futures.CancelledError) as error:
        raise CourseError(_gone(scheduler)) from error
