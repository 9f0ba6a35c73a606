"""A worker that is a program of its own, for systems other than Linux: slower to start, and with no walls around it."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.course import Limits
from autograder.launch import PACKAGE, clean_environment
from autograder.untrusted.control import READY

_KEPT = ("SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "TMP")  # without these no program starts on Windows


def fresh_worker(limits: Limits, folder: Path, log: Path, *, seconds: float) -> tuple[socket.socket, subprocess.Popen]:
    """Start a worker in a folder of its own under `folder` and return the channel to it. Raises OSError when it does not answer in time."""
    token, deadline = secrets.token_bytes(32), time.monotonic() + seconds
    place = tempfile.mkdtemp(prefix="work-", dir=folder)
    with socket.create_server(("127.0.0.1", 0)) as listener, open(log, "ab") as sink:
        start = (f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); from autograder.untrusted.program import main; "
                 f"main({listener.getsockname()[1]}, {limits.cpu_seconds})")
        environment = clean_environment() | {"HOME": place} | {name: os.environ[name] for name in _KEPT if name in os.environ}
        process = subprocess.Popen([sys.executable, "-I", "-B", "-c", start], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=sink,
                                   env=environment, cwd=place)
        try:
            process.stdin.write(token)
            process.stdin.close()
            return _answering(listener, process, token, deadline), process
        except BaseException:
            process.kill()
            raise


def _answering(listener: socket.socket, process: subprocess.Popen, token: bytes, deadline: float) -> socket.socket:
    """The connection that knows the token: on a loopback port anybody on this machine may call."""
    listener.settimeout(0.2)
    while time.monotonic() < deadline and process.poll() is None:
        try:
            channel, _ = listener.accept()
        except TimeoutError:
            continue
        channel.settimeout(max(0.1, deadline - time.monotonic()))
        try:
            if secrets.compare_digest(_received(channel, len(token)), token) and _received(channel, len(READY)) == READY:
                channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return channel
        except OSError:
            pass
        channel.close()
    raise OSError("it ended before it was ready" if process.poll() is not None else "it was not ready in time")


def _received(channel: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size and (part := channel.recv(size - len(data))):
        data += part
    return data
