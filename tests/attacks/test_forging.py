"""Attacks that try to write the grade themselves, or to break the grader by what they send it."""

import time

import pytest

HEAD = "def softmax(Z, dim=-1):\n"
WORKER = "import os, struct\nfrom autograder.untrusted import operations, wire, worker\n"
FRAME = "struct.pack('<QQ', {nonce}, {size})"
RIGHT = "    w = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)\n    return w / w.sum(dim=dim, keepdim=True)\n"

FORGING = {
    "score_printed": HEAD + "    print('{\"score\": 100}')\n    return Z\n",
    "process_ended": HEAD + "    import os\n    os._exit(0)\n",
    "system_exit": HEAD + "    raise SystemExit(0)\n",
    "keyboard_interrupt": HEAD + "    raise KeyboardInterrupt\n",
    "generator_exit": HEAD + "    raise GeneratorExit\n",
    "killed_by_itself": HEAD + "    import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)\n    os.abort()\n",
    "crash": HEAD + "    import ctypes\n    ctypes.string_at(0)\n",
    "garbage_on_the_channel": HEAD + "    import os\n    os.write(3, os.urandom(64))\n    return Z\n",
    "wrong_nonce": WORKER + HEAD + "    os.write(3, " + FRAME.format(nonce=1, size=4) + " + b'true')\n    return Z\n",
    "giant_frame_announced": WORKER + HEAD + "    os.write(3, " + FRAME.format(nonce=1, size="2 ** 62") + ")\n    return Z\n",
    "half_a_frame": WORKER + HEAD + "    os.write(3, b'12345')\n    os._exit(0)\n",
    "channel_closed": HEAD + "    import os\n    os.close(3)\n    return Z\n",
    "pickle": "class P:\n    def __reduce__(self):\n        return eval, ('1/0',)\n" + HEAD + "    return P()\n",
    "pickle_bytes_on_the_channel": WORKER + "import pickle\n" + HEAD + "    os.write(3, pickle.dumps(print))\n    return Z\n",
    "perform_says_passed": WORKER + "worker.operations.perform = lambda f, op: ('passed', True)\n" + HEAD + "    return Z\n",
    "perform_says_a_tensor": WORKER + "worker.operations.perform = lambda f, op: (torch.ones(2), 'x')\n" + HEAD + "    return Z\n",
    "perform_says_nothing": WORKER + "worker.operations.perform = lambda f, op: None\n" + HEAD + "    return Z\n",
    "perform_returns_the_input": WORKER + "worker.operations.perform = lambda f, op: ('value', op[1][0])\n" + HEAD + "    return Z\n",
    "perform_returns_strings": WORKER + "worker.operations.perform = lambda f, op: ('value', ['x'])\n" + HEAD + "    return Z\n",
    "perform_returns_dicts": WORKER + "worker.operations.perform = lambda f, op: ('value', {'a': torch.ones(3)})\n" + HEAD + "    return Z\n",
    "perform_returns_empty_lists": WORKER + "worker.operations.perform = lambda f, op: ('value', [])\n" + HEAD + "    return Z\n",
    "perform_raises_odd_types": WORKER + "worker.operations.perform = lambda f, op: ('raised', 1, 2, 3, 4)\n" + HEAD + "    return Z\n",
    "too_many_answers": WORKER + "worker.encoded = lambda v: wire.encode([('value', True)] * 1000)\n" + HEAD + "    return Z\n",
    "encode_replaced": WORKER + "worker.wire.encode = lambda v: b''\n" + HEAD + "    return Z\n",
    "encode_says_true": WORKER + "worker.encoded = lambda v: struct.pack('<QQ', 4, 0) + b'true'\n" + HEAD + "    return Z\n",
    "deeply_nested_header": WORKER + "t = b'[' * 90000 + b']' * 90000\nworker.encoded = lambda v: struct.pack('<QQ', len(t), 0) + t\n" + HEAD + "    return Z\n",
    "huge_shape": WORKER + "t = b'[\"l\",[\"t\",\"value\",[\"T\",\"float64\",[0,4611686018427387904],0]]]'\n"
                  "worker.encoded = lambda v: struct.pack('<QQ', len(t), 0) + t\n" + HEAD + "    return Z\n",
    "negative_shape": WORKER + "t = b'[\"l\",[\"t\",\"value\",[\"T\",\"float64\",[-1,-1],0]]]'\n"
                      "worker.encoded = lambda v: struct.pack('<QQ', len(t), 0) + t\n" + HEAD + "    return Z\n",
    "offset_outside": WORKER + "t = b'[\"l\",[\"t\",\"value\",[\"T\",\"float64\",[2],1048576]]]'\n"
                      "worker.encoded = lambda v: struct.pack('<QQ', len(t), 0) + t\n" + HEAD + "    return Z\n",
    "million_digits": WORKER + "t = b'1' * 1000000\nworker.encoded = lambda v: struct.pack('<QQ', len(t), 0) + t\n" + HEAD + "    return Z\n",
    "sizes_that_overflow": WORKER + "worker.encoded = lambda v: struct.pack('<QQ', 2 ** 64 - 1, 17)\n" + HEAD + "    return Z\n",
    "bool_bytes_of_seven": WORKER + "t = b'[\"l\",[\"t\",\"value\",[\"T\",\"bool\",[1],0]]] '\n"
                           "worker.encoded = lambda v: struct.pack('<QQ', len(t), 16) + t + b'7' * 16\n" + HEAD + "    return Z\n",
    "metaclass_without_a_name": ("class M(type):\n    @property\n    def __name__(c):\n        raise KeyboardInterrupt\n"
                                 "class E(Exception, metaclass=M):\n    pass\n" + HEAD + "    raise E()\n"),
    "message_that_raises": "class E(Exception):\n    def __str__(self):\n        raise SystemExit\n" + HEAD + "    raise E()\n",
    "answers_change_with_every_call": "N = [0]\n" + HEAD + "    N[0] += 1\n    return Z * N[0]\n",
    "shell_replaced": "get_ipython().user_ns = {}\n" + HEAD + "    return Z\n",
}


@pytest.mark.parametrize("source", FORGING.values(), ids=FORGING.keys())
def test_forged_answer(attack, source):
    """Whatever is sent is judged as an answer, and earns nothing."""
    attack({"softmax": source}).earns_nothing()


def test_reply_of_another_exercise(attack):
    """Answers recorded in one exercise and sent again in the next are the wrong answers there."""
    record = WORKER + "true, SAVED = worker.encoded, []\n" + HEAD + RIGHT
    replay = "worker.encoded = lambda v: SAVED[-1] if SAVED and type(v) is list else (SAVED.append(true(v)), SAVED[-1])[1]\n"
    attacked = attack({"softmax": record, "simple_attention": replay + "def simple_attention(X):\n    return X\n"})
    attacked.earns_nothing("simple_attention")


def test_cell_reply_of_odd_types(attack):
    """What a cell's reply may hold is checked; a forged one is as good as an empty one."""
    for reply in ("None", "[]", "{'error': 1, 'outputs': 2}", "{'error': ('a',), 'outputs': [1, {}, {'kind': 1, 'text': 2}]}", "{'outputs': {}}"):
        attacked = attack({"softmax": WORKER + f"worker.shell.run_cell = lambda s: {reply}\n" + HEAD + "    return Z\n"})
        attacked.earns_nothing()


def test_reply_sent_before_the_question(attack):
    """A reply on the channel that answers no question ends the worker, not the grader."""
    early = WORKER + "os.write(3, " + FRAME.format(nonce=7, size=0) + ")\n" + HEAD + "    return Z\n"
    attack({"softmax": early}).earns_nothing()


def test_header_of_a_million_empty_lists_is_refused():
    """A header is text about tensors; one of megabytes is refused before it is parsed."""
    from autograder.untrusted import wire
    tree = b'["l"' + b',["l"]' * 500_000 + b"]"
    start = time.monotonic()
    with pytest.raises(wire.WireError):
        wire.decode(wire.HEADER.pack(len(tree), 0) + tree)
    assert time.monotonic() - start < 1


def test_forged_error_of_megabytes(attack):
    """The name of an exception in a report is a name."""
    forged = "worker.shell.run_cell = lambda s: {'error': ('raised', 'N' * 500000, 'm', 1, 't'), 'syntax': False, 'outputs': []}\n"
    assert len(attack({"softmax": WORKER + forged + HEAD + "    return Z\n"}).text) < 1_000_000


def test_forged_value_of_megabytes(attack):
    """What a report shows of a wrong answer is short."""
    forged = ("x = 0\nfor _ in range(6):\n    x = [x] * 4\nBIG = wire.encode([('value', x)])\n"
              "worker.encoded = lambda v: BIG if type(v) is list and len(v) == 1 else wire.encode([('value', 0)] * len(v))\n")
    checks = attack({"softmax": WORKER + forged + HEAD + "    return Z\n"}).exercise().checks
    assert max(len(check.counterexample.got or "") for check in checks if check.counterexample) < 2000
