"""A node: the grader as a program of its own on another machine, started by a Dask worker (see `station`).

It gets an order and a bundle over a channel, lays the bundle out in a private folder, sets up one grader, says how it keeps submissions
apart, and forks a process for each connection made to its socket. It ends, and its folder with it, when the channel closes.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import select
import shutil
import signal
import socket
import sys
import time
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

IDLE_SECONDS = 900.0  # without a connection for so long, whoever ordered it is gone


def main(descriptor: int, folder: Path) -> None:
    """Serve until the channel at `descriptor` closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Connection(descriptor)
    try:
        order, bundle = json.loads(channel.recv_bytes()), channel.recv_bytes()
        grader, refused = _grader(order, bundle, folder)
        if grader is None:
            channel.send_bytes(json.dumps({"refused": refused}).encode())
            return
        try:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(folder / "socket"))
            listener.listen(64)
            box = grader.box
            walls = {"level": box.level, "missing": box.missing, "canaries": box.canaries, "sentence": box.sentence}
            channel.send_bytes(json.dumps({"walls": walls}).encode())
            gc.collect()
            gc.freeze()
            _serve(grader, listener, channel)
        finally:
            grader.close()
    except (EOFError, OSError):  # whoever started it is gone
        pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _grader(order: dict[str, Any], bundle: bytes, folder: Path) -> tuple[Any, str]:
    """A grader for what is ordered, or None and the reason."""
    from autograder.box import BoxError
    from autograder.bundle import lay_out
    from autograder.course import Course
    from autograder.deckfile import version_of
    from autograder.grader import make_grader
    from autograder.places import CourseError
    try:
        lay_out(bundle, folder)
        course = Course.model_validate(order["course"])
        if version_of(folder, order["assignment"], course.seed) != order["version"]:
            return None, f"its kit is not the same as here: it has {installed()}, and here is {order['installed']}. {order['mend']}"
        return make_grader(course, folder, order["assignment"], least=order["least"]), ""
    except (CourseError, BoxError) as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001 - it is told where somebody reads it
        return None, f"no grader could be set up on it ({type(error).__name__}: {error})"


def installed() -> str:
    """In words, what is installed here of what a grade depends on."""
    import hypothesis
    import torch

    from autograder import __version__
    return f"kit {__version__} on Python {platform.python_version()} with torch {torch.__version__} and hypothesis {hypothesis.__version__}"


def _serve(grader: Any, listener: socket.socket, channel: Connection) -> None:
    """Fork a process for each connection, until the channel closes or nobody has been connected for long."""
    children: set[int] = set()
    quiet = time.monotonic()
    try:
        while time.monotonic() - quiet < IDLE_SECONDS:
            ready, _, _ = select.select([listener, channel], [], [], 1.0)
            if channel in ready:
                return
            if listener in ready:
                children.add(_forked(grader, listener, channel))
            children -= {pid for pid in children if os.waitpid(pid, os.WNOHANG)[0]}
            quiet = time.monotonic() if children else quiet
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _forked(grader: Any, listener: socket.socket, channel: Connection) -> int:
    connection, _ = listener.accept()
    parent, pid = os.getpid(), os.fork()
    if pid:
        connection.close()
        return pid
    try:
        from autograder.pool import die_with
        die_with(parent)
        listener.close()
        channel.close()
        _attend(grader, Connection(connection.detach()))
    except OSError:  # the Dask worker is gone
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _attend(grader: Any, connection: Connection) -> None:
    """Grade what comes: a frame that says what it is, a frame of its bytes. The answer is one frame of JSON."""
    while True:
        try:
            about, data = json.loads(connection.recv_bytes()), connection.recv_bytes()
        except EOFError:
            return
        connection.send_bytes(json.dumps(_graded(grader, about, data)).encode())


def _graded(grader: Any, about: dict[str, Any], data: bytes) -> dict[str, Any]:
    from autograder.box import BoxError
    from autograder.submissions import Raw, opened
    raw = Raw(about["name"], data if about["data"] else None, about["reason"], tuple(about["remarks"]))
    try:
        outcome = grader.grade("", opened(raw))
        return {"result": outcome.result.model_dump(by_alias=True), "notebook": outcome.notebook, "isolation": outcome.isolation,
                "seconds": outcome.seconds, "workers": outcome.workers}
    except BoxError as gone:
        return {"gone": str(gone)}
    except Exception as error:  # noqa: BLE001 - the batch goes on
        return {"failed": f"the grader failed ({type(error).__name__}); this is not the student's fault"}


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
