"""The worker: runs a notebook's cells in order and answers calls on its functions, until the grader hangs up.

It holds no check, no reference and no expected value: only the student's code and the inputs it is called with.
"""

from __future__ import annotations

import random
import socket
from typing import Any

from autograder.untrusted import operations, shell, wire

CELL, CALLS = "cell", "calls"


def warm_up() -> None:
    """Run every path once in the template, so that nothing is imported or compiled in a worker."""
    import torch
    x = torch.ones(2, 2, dtype=torch.float64)
    answers = [operations.perform(torch.tanh, (kind, (x,), {}, (x,)), {"given": ""}) for kind in ("call", "after", "vjp")]
    wire.decode(wire.encode(answers))
    reseed()  # imports numpy.random, which took a third of a worker's start


def serve(channel: socket.socket) -> None:
    """Answer requests on `channel` until it is closed.

    A request is ``{"do": "cell", "source": …}`` or ``{"do": "calls", "name": …, "context": …, "together": …}`` followed by a frame with, for
    each check, its operations; the first is answered by one frame, the second by one frame a check: all of them at the end, where
    `together` asks for it, or else each as soon as it is there.
    """
    reseed()
    while True:
        try:
            nonce, payload = wire.receive(channel)
        except EOFError:
            return
        request = wire.decode(payload)
        if request["do"] == CELL:
            wire.send(channel, nonce, [encoded(shell.run_cell(request["source"]))])
        else:
            nonce, payload = wire.receive(channel)
            function = shell.lookup(request["name"])
            ready: list[bytes] = []
            for check in wire.decode_each(payload):
                with shell.quiet():
                    ready.append(encoded([operations.perform(function, operation, request["context"]) for operation in check]))
                if not request["together"]:
                    wire.send(channel, nonce, [ready.pop()])
            wire.send(channel, nonce, ready)


def encoded(value: Any) -> bytes:
    """`value` on the wire, or what stands for it when it is too large."""
    payload = wire.encode(value)
    if len(payload) <= wire.MAX_FRAME and wire.HEADER.unpack_from(payload)[0] <= wire.MAX_HEADER:
        return payload
    count = len(value) if isinstance(value, list) else 1
    return wire.encode([("unsupported", "part of an answer of more than 64 MB")] * count)


def reseed() -> None:
    """Give this worker the same random numbers as every other, whatever the template drew."""
    import numpy
    import torch
    random.seed(0)
    numpy.random.seed(0)
    torch.manual_seed(0)
