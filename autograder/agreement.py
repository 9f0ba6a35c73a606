"""Whether a worker's reply says what the reference says, told from the bytes: then no check's body need run on it.

The reference passes every check, and a reply that has its form and, entry by entry, its numbers is as right as it. Most replies
of a class are of this kind, and the comparison is one sweep over the buffer. Whatever is not (another dtype, a list for a
tuple, a number further off than rounding takes two right answers apart) is judged by the checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from autograder.untrusted import wire

ROUNDING = 1e-11  # right answers differ by some 1e-14; the checks' tolerance begins at 7e-6
NOTHING = 1e-15
WORD = 8


@dataclass(frozen=True)
class Expected:
    """The reference's reply: its header as bytes, its buffer as words, and which words are entries of float64 tensors."""

    header: bytes
    words: np.ndarray
    floats: np.ndarray

    def agrees(self, payload: bytes | bytearray) -> bool:
        """Whether `payload` has the same header and the same buffer, float64 entries within rounding, all else bit for bit.

        In the place of a 0 nothing counts but what is lost in rounding 1: some checks ask for exact zeros, and must see what is none.
        """
        if len(payload) != len(self.header) + self.words.nbytes or not payload.startswith(self.header):
            return False
        words = np.frombuffer(payload, np.int64, offset=len(self.header))
        other = words != self.words
        if not other.any():
            return True
        if not self.floats[other].all():
            return False
        got, wanted = words.view(np.float64)[other], self.words.view(np.float64)[other]
        with np.errstate(invalid="ignore", over="ignore"):
            near = (np.abs(got - wanted) <= ROUNDING * (1 + np.abs(wanted))) & ((wanted != 0) | (np.abs(got) <= NOTHING))
            return bool(near.all() and np.isfinite(wanted).all())


def expected_reply(answers: list[tuple]) -> Expected:
    """What a worker sends that answers as the reference does."""
    payload = wire.encode(answers)
    header = wire.HEADER.size + wire.HEADER.unpack_from(payload)[0]
    words = np.frombuffer(payload, np.int64, offset=header)
    floats = np.zeros(len(words), bool)
    start = 0
    for tensor in _tensors(answers):  # in the order of the buffer, each padded
        count = tensor.numel() * tensor.element_size()
        if tensor.dtype is torch.float64:
            floats[start // WORD:(start + count) // WORD] = True
        start += count + -count % wire.ALIGN
    return Expected(payload[:header], words, floats)


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
    return [tensor for item in items for tensor in _tensors(item)]
