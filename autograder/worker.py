"""A worker as the grader sees it: a channel to one submission's process, the time it is given, and its end."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

from autograder.student import OverLimit
from autograder.untrusted import wire

_GARBLED = "It sent something that is not an answer and was stopped."


class WorkerDied(OverLimit):
    """The worker is gone or broke the protocol."""


@dataclass
class Worker:
    """One submission's process: a channel to it, and what kills it."""

    channel: socket.socket
    end: Callable[[], None]
    waited: Callable[[], float] = lambda: 0.0
    closed: bool = False
    credited: float = 0.0

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
        """Send frames and yield the replies' payloads as they come; each may take `seconds`, and as long as the process was ready
        to run and got no core: on a machine that is busy with other things nobody loses points for that.

        Raises `OverLimit` past the time and `WorkerDied` when the worker ends or breaks the protocol; both kill it.
        """
        nonce = int.from_bytes(os.urandom(8), "big")
        try:
            deadline = [time.monotonic() + seconds]
            self.channel.settimeout(max(seconds, 0.01))
            wire.send(self.channel, nonce, payloads)
            for _ in range(replies):
                echoed, payload = wire.receive(self.channel, left=lambda: self._left(deadline))
                if echoed != nonce:
                    raise wire.WireError("a reply to another request")
                yield payload
                deadline[0] = time.monotonic() + seconds
        except (TimeoutError, socket.timeout):
            self.kill()
            raise OverLimit(f"It took more than {seconds:g} seconds and was stopped.") from None
        except (EOFError, OSError, wire.WireError) as error:
            self.kill()
            broken = isinstance(error, wire.WireError)
            raise WorkerDied(_GARBLED if broken else
                             "It ended the whole Python process (os._exit, a crash, or a limit on memory or CPU time).") from None

    def _left(self, deadline: list[float]) -> float:
        """Seconds up to the deadline, which is moved when it is reached: by the time that the process waited for a core so far."""
        left = deadline[0] - time.monotonic()
        if left <= 0:
            credit = self.waited() - self.credited
            self.credited += credit
            deadline[0] += credit
            left += credit
        return left

    def kill(self) -> None:
        """Kill the process and everything in its namespaces; safe to call twice."""
        if self.closed:
            return
        self.closed = True
        with contextlib.suppress(OSError):
            self.end()
        self.channel.close()


def waited_for_a_core(pidfd: int) -> float:
    """Seconds that a process's main thread was ready to run while others had the cores; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError, StopIteration):
        told = Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines()
        pid = next(line.split()[1] for line in told if line.startswith("Pid:"))
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


def kill(pidfd: int) -> None:
    """End a process at once, and with it all in its namespaces."""
    with contextlib.suppress(OSError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    os.close(pidfd)
