"""What a student's process sends, in detail: bounds on a message, and on what a report shows of it."""

import time

import pytest

from autograder.untrusted import wire

HEAD = "from autograder.untrusted import wire, worker\n"
ANSWER = "def softmax(Z, dim=-1):\n    return Z\n"


def test_header_of_a_million_empty_lists_is_refused():
    """A header is text about tensors; one of megabytes is refused before it is parsed."""
    tree = b'["l"' + b',["l"]' * 500_000 + b"]"
    start = time.monotonic()
    with pytest.raises(wire.WireError):
        wire.decode(wire.HEADER.pack(len(tree), 0) + tree)
    assert time.monotonic() - start < 1


def test_forged_error_of_megabytes(attack):
    """The name of an exception in a report is a name."""
    forged = "worker.shell.run_cell = lambda s: {'error': ('raised', 'N' * 500000, 'm', 1, 't'), 'syntax': False, 'outputs': []}\n"
    assert len(attack({"softmax": HEAD + forged + ANSWER}).text) < 1_000_000


def test_forged_value_of_megabytes(attack):
    """What a report shows of a wrong answer is short."""
    forged = ("x = 0\nfor _ in range(6):\n    x = [x] * 4\nBIG = wire.encode([('value', x)])\n"
              "worker.encoded = lambda v: BIG if type(v) is list and len(v) == 1 else wire.encode([('value', 0)] * len(v))\n")
    checks = attack({"softmax": HEAD + forged + ANSWER}).exercise().checks
    assert max(len(check.counterexample.got or "") for check in checks if check.counterexample) < 2000


def test_cell_reply_of_odd_types(attack):
    """What a cell's reply may hold is checked; a forged one is as good as an empty one."""
    odd = "{'error': ('a',), 'outputs': [1, {}, {'kind': 1, 'text': 2}]}"
    for reply in ("None", "[]", "{'error': 1, 'outputs': 2}", odd, "{'outputs': {}}"):
        attack({"softmax": HEAD + f"worker.shell.run_cell = lambda s: {reply}\n" + ANSWER}).earns_nothing()
