"""Replies of a worker: their bytes as they came, decoded only where somebody has to look at an answer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from autograder.run import checked_answers
from autograder.untrusted import wire


@dataclass
class Reply:
    """A worker's reply to some calls: its bytes, decoded (and checked) at most once. `right`: it says what the reference says."""

    payload: bytearray
    count: int
    digest: bytes
    right: bool = False
    _decoded: list[tuple] | None = None

    def decoded(self) -> list[tuple]:
        """One answer for each call; what is not an answer is marked as such."""
        if self._decoded is None:
            try:
                value = wire.decode(self.payload)
            except wire.WireError:
                value = None
            self._decoded = checked_answers(value, self.count)
        return self._decoded


@dataclass(frozen=True)
class CheckAnswers:
    """The answers to one check, each somewhere in a reply that other checks may share."""

    places: list[tuple[Reply, int]]

    @property
    def digest(self) -> bytes:
        """Stands for the bytes of all replies that hold an answer."""
        replies = {id(reply): reply.digest for reply, _ in self.places}
        return hashlib.blake2b(b"".join(replies.values()), digest_size=16).digest()

    @property
    def right(self) -> bool:
        """Whether all of it is what the reference answers; without a recording there is nothing to tell it by."""
        return bool(self.places) and all(reply.right for reply, _ in self.places)

    def decoded(self) -> list[tuple]:
        """One answer for each recorded call of the check."""
        return [reply.decoded()[place] for reply, place in self.places]


def reply_of(payload: bytearray, count: int, *, right: bool) -> Reply:
    """A reply as it came, which is to hold `count` answers."""
    return Reply(payload, count, hashlib.blake2b(payload, digest_size=16).digest(), right)
