"""The worker as a program of its own, where no template can be forked. It imports nothing that only Linux has."""

from __future__ import annotations

import contextlib
import socket
import sys

from autograder.untrusted.control import READY


def main(port: int, cpu_seconds: int) -> None:
    """Connect to the grader's port on this machine with the token that comes on standard input, then serve it until it hangs up."""
    token = sys.stdin.buffer.read()
    channel = socket.create_connection(("127.0.0.1", port))
    channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    channel.sendall(token)
    import torch
    torch.set_num_threads(1)
    from autograder.untrusted import shell, worker
    shell.prepare()
    worker.warm_up()
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    channel.sendall(READY)
    worker.serve(channel)
