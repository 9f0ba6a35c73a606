"""Stored outputs: dropped from a notebook's bytes before anything else is done with them, in memory that does not grow with them."""

from __future__ import annotations

import mmap
import re
from pathlib import Path
from typing import Iterator

MAX_BREAKS = 1_000_000
DROP_FROM = 8 << 20  # a smaller file is read as it is, and its outputs are dropped with the rest of what is not asked for

# In JSON a quotation mark inside a text has a backslash before it, so this is found only where it is a key. A widget state is an output too.
_STORED = re.compile(rb'"(?:outputs"\s*+:\s*+(?=\[)|widgets"\s*+:\s*+(?=\{))')
# The next bracket that counts: past texts, what stands between, and lists that hold neither texts nor other lists.
_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+"|\[[^"\[\]{}]*+\])*+([\[\]{}])', re.DOTALL)


def read_without_outputs(path: Path) -> bytes:
    """The bytes of the notebook at `path`; of a large one without its stored outputs, but for line breaks, so that lines count the same."""
    if path.stat().st_size <= DROP_FROM:
        return path.read_bytes()
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return without_outputs(data)


def without_outputs(data: bytes | mmap.mmap) -> bytes:
    """JSON text with an empty list or object in the place of stored outputs. In other encodings than UTF-8 and its like none are found."""
    return b"".join(_kept(data))


def _kept(data: bytes | mmap.mmap) -> Iterator[bytes]:
    start = 0
    for key in iter(lambda: _STORED.search(data, start), None):
        yield data[start:key.end()]
        end, breaks = _past_value(data, key.end())
        yield data[key.end():key.end() + 1] + b"\n" * (breaks if breaks <= MAX_BREAKS else 0) + data[end - 1:end]
        start = end
    yield data[start:]


def _past_value(data: bytes | mmap.mmap, start: int) -> tuple[int, int]:
    """Where the list or object at `start` ends (the end of the data if it never does), and how many line breaks are in it."""
    depth, end = 1, start + 1
    while depth and end < len(data):
        bracket = _BRACKET.match(data, end)
        end = bracket.end() if bracket else len(data)
        depth += 1 if bracket and bracket[1] in b"[{" else -1
    breaks, at = 0, start
    while at < end:  # counted in parts: a slice is a copy
        breaks += data[at:min(end, at + DROP_FROM)].count(b"\n")
        at += DROP_FROM
    return end, breaks
