"""Canaries: harmless attacks run in a worker at start. A level of isolation is believed only if it stops all that it claims to."""

from __future__ import annotations

from pathlib import Path

from autograder.launch import CONFINED, ISOLATED, LIMITED, NONE, PACKAGE

# Each is the body of a function that returns whether the attack came through; what raises was stopped.
_BODIES = {
    "read the grader's files": "return open({canary!r}).read() == 'seen'",
    "list the course's folder": "import os; return bool(os.listdir({root!r}))",
    "write outside its own folder": "open({target!r}, 'w').write('x'); import os; return os.path.exists({target!r})",
    "see other processes": "import os; return any(p.isdigit() and int(p) != os.getpid() for p in os.listdir('/proc'))",
    "signal the grader": "import os; os.kill({pid}, 0); return {pid} != os.getpid()",
    "start a process": "import os\n    pid = os.fork()\n    if pid == 0: os._exit(0)\n    os.waitpid(pid, 0)\n    return True",
    "run a program": "import subprocess; return subprocess.run(['/bin/true']).returncode == 0",
    "open a connection": "import socket; socket.socket(); return True",
    "hide memory from the limit": "import os; return os.memfd_create('m') >= 0",
    "trace a process": "import ctypes; return ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0",
    "make namespaces": "import ctypes; return ctypes.CDLL(None).unshare(0x10000000) == 0",
}
NAMES = tuple(_BODIES)
_BY_FILTER = {"signal the grader", "start a process", "run a program", "open a connection", "hide memory from the limit", "trace a process",
              "make namespaces"}
CLAIMS = {ISOLATED: set(_BODIES), CONFINED: set(_BODIES), LIMITED: _BY_FILTER, NONE: set()}


def source(canary: Path, pid: int) -> str:
    """A cell that tries everything and prints, a line each, what came through."""
    lines = []
    for name, body in _BODIES.items():
        filled = body.format(canary=str(canary), root=str(PACKAGE.parent), target=str(canary.with_name("escaped")), pid=pid)
        lines.append(f"def _attempt():\n    {filled}\ntry:\n    came_through = _attempt()\nexcept BaseException:\n    came_through = False\n"
                     f"if came_through:\n    print({name!r})\n")
    return "".join(lines)


def outcome(printed: str) -> dict[str, bool]:
    """Whether each canary was stopped, given what the cell printed."""
    through = set(printed.splitlines())
    return {name: name not in through for name in _BODIES}
