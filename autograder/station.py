"""The station: what a Dask worker holds to grade, as a plug-in, and the task that it is sent.

The worker's own process has threads, so it grades nothing and forks nothing: it starts a node, a fresh program, and passes bytes on. This
module is loaded in Dask workers and must import neither torch nor the rest of the kit.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import Any, BinaryIO

from distributed import Worker, WorkerPlugin, get_worker

TRIES = 2


class Refused(Exception):
    """This worker does not grade. The message says why."""


class Station(WorkerPlugin):
    """Keeps a node on a worker. `order` and `bundle` are what the node is given; `name` is the plug-in's."""

    def __init__(self, name: str, order: bytes, bundle: bytes) -> None:
        self.name, self.order, self.bundle = name, order, bundle

    async def setup(self, worker: Worker) -> None:
        """Start the node. Why it cannot be is told when it is asked for."""
        self._lock, self._mine = threading.Lock(), threading.local()
        self._process: subprocess.Popen | None = None
        self._told: dict[str, Any] = {}
        self._closed = False
        with contextlib.suppress(Refused):
            await asyncio.to_thread(self.ready)

    async def teardown(self, worker: Worker) -> None:
        """End the node."""
        self._closed = True
        await asyncio.to_thread(self._end)

    def ready(self) -> dict[str, Any]:
        """How the node keeps submissions apart; it is started where there is none. Raises `Refused`."""
        with self._lock:
            if "refused" not in self._told and (self._process is None or self._process.poll() is not None):
                self._end()
                self._start()
            if "refused" in self._told:
                raise Refused(self._told["refused"])
            return self._told["walls"]

    def _start(self) -> None:
        if self._closed:
            raise Refused("the run was ended")
        self._folder = Path(tempfile.mkdtemp(prefix="autograder-node-"))
        ours, theirs = socket.socketpair()
        self._channel = Connection(ours.detach())
        environment = os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        with tempfile.TemporaryFile() as log, theirs:
            self._process = subprocess.Popen([sys.executable, "-P", "-m", "autograder.node", str(theirs.fileno()), str(self._folder)],
                                             pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            theirs.close()
            self._told = self._asked(log)
        if "refused" in self._told:
            self._end()

    def _asked(self, log: BinaryIO) -> dict[str, Any]:
        """What the node says when it is given its order."""
        try:
            self._channel.send_bytes(self.order)
            self._channel.send_bytes(self.bundle)
            return json.loads(self._channel.recv_bytes())
        except (EOFError, OSError):
            log.seek(0)
            tail = " ".join(log.read().decode(errors="replace").split())[-400:]
            return {"refused": f"its grader ended before it was ready; its log says: {tail or 'nothing'}"}

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            self._channel.close()  # it ends by itself, and what it started with it
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()
            shutil.rmtree(self._folder, ignore_errors=True)

    def grade(self, about: bytes, data: bytes) -> bytes:
        """The node's answer on one submission, as JSON. What brings the node's process down twice is told as such."""
        reason = ""
        for _ in range(TRIES):
            self.ready()
            process = self._process
            try:
                connection = self._connection()
                connection.send_bytes(about)
                connection.send_bytes(data)
                answer = connection.recv_bytes()
            except (EOFError, OSError):
                self._mine.connection = None
                reason = "the grader's own process ended twice while it graded this notebook; this is the grader's fault"
                continue
            if not answer.startswith(b'{"gone"'):
                return answer
            reason = json.loads(answer)["gone"]
            self._replace(process)
        return json.dumps({"ended": reason}).encode()

    def _replace(self, process: subprocess.Popen) -> None:
        """End the node, whose box is gone; it is started again when it is asked for."""
        with self._lock:
            if self._process is process:  # else another thread was quicker
                self._end()
        self._mine.connection = None

    def _connection(self) -> Connection:
        """This thread's own connection to the node that runs now."""
        process, connection = getattr(self._mine, "connection", None) or (None, None)
        if process is not self._process or connection is None:
            process, connection = self._process, Client(str(self._folder / "socket"), "AF_UNIX")
            self._mine.connection = process, connection
        return connection


def state(name: str, dask_worker: Worker) -> dict[str, Any]:
    """On a worker: how its node keeps submissions apart, or why it refuses."""
    try:
        return {"walls": dask_worker.plugins[name].ready()}
    except Refused as refused:
        return {"refused": str(refused)}


def grade_parcels(name: str, parcels: list[tuple[bytes, bytes]]) -> list[bytes]:
    """The task: on a worker, the answers on some submissions, each as JSON."""
    worker = get_worker()
    try:
        return [worker.plugins[name].grade(*parcel) for parcel in parcels]
    except Refused as refused:
        return [json.dumps({"refused": str(refused), "by": worker.address}).encode()] * len(parcels)
