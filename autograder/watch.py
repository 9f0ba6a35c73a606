"""Watching one notebook: checked again whenever it is saved, until Ctrl-C.

The file is looked at a few times a second. A library that is told by the system would be a compiled dependency of every student's
installation, for one file; and looking works on network drives, and with editors that put a new file in the place of the old one.
"""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Callable, Iterator

LOOK_SECONDS = 0.25
SETTLED_SECONDS = 0.3


def saved(path: Path, *, look_seconds: float = LOOK_SECONDS, settled_seconds: float = SETTLED_SECONDS) -> Iterator[bytes]:
    """The content of a file now and after every save that changes it, once it has not been written to for a moment. Never ends."""
    known = b""
    while True:
        state = _state(path)
        time.sleep(settled_seconds)
        if state is not None and state == _state(path):
            data = _content(path)
            digest = hashlib.sha256(data or b"").digest()
            if data and digest != known:
                known = digest
                yield data
            while state == _state(path):
                time.sleep(look_seconds)


def watch(path: Path, recheck: Callable[[], None], *, tell: Callable[[str], None]) -> None:
    """Check a notebook now and after every save until Ctrl-C. What `recheck` raises of the kit's own is told, and the watch goes on."""
    from autograder.places import CourseError
    try:
        for _ in saved(path):
            tell(f"{time.strftime('%H:%M:%S')} {path.name}")
            try:
                recheck()
            except (CourseError, OSError) as error:
                tell(str(error))
            tell(f"Waiting for the next save of {path.name}; Ctrl-C ends.")
    except KeyboardInterrupt:
        tell("Ended.")


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except OSError:  # between the two steps of a replacement there may be none
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
