"""Attacks that try to use up time, memory, disk or patience: what did it is lost, and nothing else."""

import pytest
from attacking import QUICK

HEAD = "def softmax(Z, dim=-1):\n"
RIGHT = "    w = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)\n    return w / w.sum(dim=dim, keepdim=True)\n"

IN_A_CALL = {
    "loop": HEAD + "    while True:\n        pass\n",
    "loop_that_swallows_interrupts": HEAD + "    while True:\n        try:\n            while True: pass\n        except BaseException:\n            pass\n",
    "sleep": HEAD + "    import time\n    time.sleep(1e6)\n",
    "signals_ignored": ("import signal\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
                        + HEAD + "    while True:\n        pass\n"),
    "memory": HEAD + "    hog = [bytearray(2 ** 30) for _ in range(64)]\n    return Z\n",
    "memory_of_torch": HEAD + "    return torch.zeros(2 ** 20, 2 ** 20, dtype=torch.float64)\n",
    "huge_result": HEAD + "    return torch.zeros(2 ** 21, dtype=torch.float64)\n",
    "huge_expanded_result": HEAD + "    return torch.zeros(1).expand(2 ** 40)\n",
    "huge_int": HEAD + "    return 1 << 100000\n",
    "huge_text": HEAD + "    return 'x' * 10 ** 7\n",
    "huge_list": HEAD + "    return [0.0] * 10 ** 6\n",
    "list_in_itself": HEAD + "    x = []\n    x.append(x)\n    return x\n",
    "recursion": HEAD + "    return softmax(Z, dim)\n",
    "recursion_without_limit": "import sys\nsys.setrecursionlimit(10 ** 9)\n" + HEAD + "    return softmax(Z, dim)\n",
    "output": HEAD + "    print('x' * 10 ** 6)\n    return Z\n",
    "long_message": HEAD + "    raise ValueError('x' * 10 ** 7)\n",
    "many_dimensions": HEAD + "    return torch.zeros([1] * 40)\n",
    "regular_expression": "import re\n" + HEAD + "    return re.match('(a+)+$', 'a' * 40 + 'b')\n",
}


@pytest.mark.parametrize("source", IN_A_CALL.values(), ids=IN_A_CALL.keys())
def test_in_a_call(attack, source):
    """The exercise is lost, the others keep their points, and the limit is the time it takes."""
    attacked = attack({"softmax": source}, limits=QUICK)
    attacked.earns_nothing()
    attacked.harms_no_other()
    assert attacked.seconds < 6


IN_A_CELL = {
    "loop": "while True: pass",
    "fork_bomb": "import os\nwhile True: os.fork()",
    "processes": "import multiprocessing\nfor _ in range(50): multiprocessing.Process(target=print).start()",
    "program": "import subprocess\nsubprocess.run(['sleep', '1000'])",
    "output": "while True: print('x' * 1000)",
    "display": "for _ in range(10000): display('x' * 1000)",
    "open_files": "held = []\nwhile True: held.append(open('/dev/null'))",
    "disk": "with open('big', 'wb') as f:\n    while True: f.write(b'x' * 2 ** 20)",
    "shared_memory": "with open('/dev/shm/big', 'wb') as f:\n    while True: f.write(b'x' * 2 ** 20)",
    "many_files": "n = 0\nwhile True:\n    open(f'f{n}', 'w').close(); n += 1",
    "memory_file": "import os\nos.memfd_create('x')",
    "process_ended": "import os\nos._exit(0)",
    "exit": "raise SystemExit",
    "interrupt": "raise KeyboardInterrupt",
    "fifty_errors": "1 / 0\n" * 400,
    "deep_brackets": "(" * 5000 + ")" * 5000,
    "deep_unary": "x = " + "-" * 20000 + "1",
}


@pytest.mark.parametrize("source", IN_A_CELL.values(), ids=IN_A_CELL.keys())
def test_in_a_cell(attack, source, isolated):
    """A cell of the student's own costs its own output, and no exercise."""
    attacked = attack(first=(source,), limits=QUICK | {"check_seconds": 5.0})
    assert attacked.result.score == attacked.result.max_score
    assert attacked.seconds < 8 and len(attacked.notebook) < 1_000_000


def test_a_long_cell(attack):
    """A cell of a hundred thousand numbers (a tenth of what a notebook may hold) takes the grader no longer than its own run."""
    assert attack(first=("x = [" + "1," * 100_000 + "]",)).seconds < 2


def test_threads_that_loop(attack):
    """Threads left running slow down the student's own notebook, up to the time limit of the whole, and nobody else's."""
    source = "import threading\ndef spin():\n    while True: pass\nfor _ in range(3): threading.Thread(target=spin, daemon=True).start()"
    assert attack(first=(source,), limits=QUICK | {"submission_seconds": 3.0}).seconds < 6


def test_hanging_at_every_check(attack):
    """Two lost checks end an exercise: hanging cannot be made to take the number of checks times the limit."""
    answers = {name: f"def {name}(*a, **k):\n    while True: pass\n" for name in ("softmax", "causal_mask", "padding_mask")}
    assert attack(answers, limits=QUICK).seconds < 3 * 2 * QUICK["check_seconds"] + 4


def test_a_thousand_threads(attack, isolated):
    """A worker has a bounded number of threads, so that the grader can still start processes."""
    source = ("import threading\nthreading.stack_size(65536)\nstop, n = threading.Event(), 0\ntry:\n    while n < 2000:\n"
              "        threading.Thread(target=stop.wait, daemon=True).start(); n += 1\nexcept RuntimeError:\n    pass\nstop.set()\n"
              "print('STARTED', n)")
    assert int(attack(cells=(source,)).printed.split()[1]) < 1000


def test_images_in_many_cells(attack):
    """The autograded notebook is not much larger than what a person would look at."""
    source = "for _ in range(40): display({'image/png': 'A' * 500_000}, raw=True)"
    assert len(attack(cells=(source,) * 2).notebook) < 25_000_000


SLOW = "import time\n" + HEAD + "    time.sleep(0.01)\n    if Z.numel() > 8:\n        return Z\n" + RIGHT


def test_explaining_one_failure_costs_no_other_exercise(attack):
    """A slow answer, wrong on larger inputs only, is shrunk with hundreds of calls; the other exercises must not pay for it."""
    attack({"softmax": SLOW}, limits={"submission_seconds": 4.0}).harms_no_other()
