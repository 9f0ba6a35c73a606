"""The decoder under two hundred thousand damaged messages: a WireError or plain data, never anything else."""

from __future__ import annotations

import json
import random

import pytest
import torch

from autograder.run import checked_answers, checked_reply
from autograder.untrusted import plain, wire

MESSAGES = 200_000
PARTS = 8
GOOD = [wire.encode(value) for value in (
    [("value", torch.arange(6.0, dtype=torch.float64).reshape(2, 3))], [("raised", "ValueError", "no", 3, "x = 1")], [("unfit", "missing", "norm.weight")],
    {"error": None, "syntax": False, "outputs": [{"kind": "stdout", "text": "hello"}]}, [("value", (torch.ones(2, dtype=torch.bool), torch.zeros(0, 3)))],
    [("value", {"a": torch.ones(1, dtype=torch.bfloat16), "b": [1, 2.5, None, "x"]})])]
TREES = [json.loads(bytes(frame[16:16 + wire.HEADER.unpack_from(frame)[0]])) for frame in GOOD]
ODD = [2**62, -1, 2**63, 1e308, float("nan"), "T", "t", "float64", "float128", [], {}, [0], ["T"], True, None, "\ud800", 10**40, ["d", ["a", 1]], [[[[]]]]]


def damaged(source: random.Random) -> bytes:
    """A good message with bytes changed, cut or added, or with another header tree."""
    way = source.randrange(4)
    if way == 0:
        tree = changed(source.choice(TREES), source, 0)
        text = json.dumps(tree).encode("utf-8", "surrogatepass")
        text += b" " * (-(16 + len(text)) % wire.ALIGN)
        body = bytes(source.randrange(256) for _ in range(source.choice((0, 16, 48))))
        return wire.HEADER.pack(len(text), len(body)) + text + body
    frame = bytearray(source.choice(GOOD))
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(frame))
        if way == 1:
            frame[at] = source.randrange(256)
        elif way == 2:
            frame[at:at] = bytes(source.randrange(256) for _ in range(source.randrange(1, 9)))
        else:
            del frame[at:at + source.randrange(1, 9)]
            if not frame:
                break
    return bytes(frame)


def changed(tree, source: random.Random, depth: int):
    """A JSON tree with some nodes replaced by odd ones."""
    if source.random() < 0.15 or depth > 20:
        return source.choice(ODD)
    if isinstance(tree, list):
        items = [changed(item, source, depth + 1) for item in tree]
        return items + [source.choice(ODD)] if source.random() < 0.05 else items
    return tree


def sound(value, depth: int = 0) -> bool:
    """Whether a decoded value is plain data whose tensors can be read to their end."""
    if isinstance(value, torch.Tensor):
        return type(value) is torch.Tensor and value.numel() <= plain.MAX_FRAME and bool((value == value).sum() >= 0)
    if type(value) in (list, tuple):
        return depth < 2 * plain.MAX_DEPTH and all(sound(item, depth + 1) for item in value)
    if type(value) is dict:
        return all(type(key) is str and sound(item, depth + 1) for key, item in value.items())
    return type(value) in (type(None), bool, int, float, str)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_damaged_message_is_refused_or_is_plain_data(part):
    source, refused, taken = random.Random(part), 0, 0
    for _ in range(MESSAGES // PARTS):
        message = damaged(source)
        try:
            value = wire.decode(message)
        except wire.WireError:
            refused += 1
            continue
        taken += 1
        assert sound(value), message
        for answer in checked_answers(value, 1):
            assert answer[0] in ("value", "raised", "unsupported", "unfit", "limit")
        assert set(checked_reply(value)) == {"error", "syntax", "outputs"}
    assert refused > taken > 100, "the damage should be of both kinds"
