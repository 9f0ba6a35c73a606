"""Budgets in detail: what takes long costs its own exercise and nobody else's, and what is written stays readable."""

import time

from attacking import QUICK

HEAD = "def softmax(Z, dim=-1):\n"
RIGHT = "    w = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)\n    return w / w.sum(dim=dim, keepdim=True)\n"


def test_a_long_cell(attack):
    """A cell of a hundred thousand numbers (a tenth of what a notebook may hold) takes the grader no longer than its own run."""
    before = time.process_time()
    attack(first=("x = [" + "1," * 100_000 + "]",))
    assert time.process_time() - before < 3  # of the grader's own; a second on a quiet machine


def test_threads_that_loop(attack):
    """Threads left running slow down the student's own notebook, up to the time limit of the whole, and nobody else's."""
    source = "import threading\ndef spin():\n    while True: pass\nfor _ in range(3): threading.Thread(target=spin, daemon=True).start()"
    assert attack(first=(source,), limits=QUICK | {"submission_seconds": 3.0}).seconds < 60


def test_hanging_at_every_check(attack):
    """Three lost checks end an exercise, after one try of all together: hanging cannot be made to take the number of checks times the limit."""
    answers = {name: f"def {name}(*a, **k):\n    while True: pass\n" for name in ("softmax", "causal_mask", "padding_mask")}
    assert attack(answers, limits=QUICK).seconds < 3 * (1 + 3) * QUICK["check_seconds"] + 6


def test_images_in_many_cells(attack):
    """The autograded notebook is not much larger than what a person would look at."""
    source = "for _ in range(40): display({'image/png': 'A' * 500_000}, raw=True)"
    assert len(attack(cells=(source,) * 2).notebook) < 25_000_000


SLOW = "import time\n" + HEAD + "    time.sleep(0.01)\n    if Z.numel() > 8:\n        return Z\n" + RIGHT


def test_explaining_one_failure_costs_no_other_exercise(attack):
    """A slow answer, wrong on larger inputs only, is shrunk with hundreds of calls; the other exercises must not pay for it."""
    attack({"softmax": SLOW}, limits={"submission_seconds": 4.0}).harms_no_other()
