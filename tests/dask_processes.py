"""Real ``dask scheduler`` and ``dask worker`` processes for tests, on loopback."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator

import psutil
from support import ROOT

SECONDS = 120


def environment(**more: str) -> dict[str, str]:
    """For processes that use the kit of this checkout."""
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)} | more


@contextlib.contextmanager
def scheduler(folder: Path, **variables: str) -> Iterator[tuple[str, subprocess.Popen]]:
    """A scheduler: its address and process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = _start(folder / "scheduler.log", "scheduler", "--host", "127.0.0.1", "--port", str(port), "--dashboard-address",
                     "127.0.0.1:0", "--no-dashboard", **variables)
    try:
        deadline = time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.1)
        yield f"tcp://127.0.0.1:{port}", process
    finally:
        end(process)


@contextlib.contextmanager
def worker(folder: Path, address: str, name: str, *arguments: str, **variables: str) -> Iterator[subprocess.Popen]:
    """A worker with its nanny, which starts it again when it dies."""
    process = _start(folder / f"{name}.log", "worker", address, "--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard", "--name", name,
                     "--local-directory", str(folder), *arguments, **variables)
    try:
        yield process
    finally:
        end(process)


def _start(log: Path, command: str, *arguments: str, **variables: str) -> subprocess.Popen:
    with open(log, "wb") as sink:
        return subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{command}", *arguments], stdout=sink, stderr=sink,
                                cwd=log.parent, env=environment(**variables))


def end(process: subprocess.Popen) -> None:
    """End a process and all that it started."""
    with contextlib.suppress(psutil.NoSuchProcess):
        family = [*psutil.Process(process.pid).children(recursive=True)]
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(15)
        for one in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
    process.kill()
    process.wait()
