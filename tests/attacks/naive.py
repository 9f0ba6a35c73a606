"""The control: a grader as many are, which runs the student's code, the checks and the reference in one process.

Run as ``naive.py COURSE SECRET NUMBER``. It loads everything once, then reads a line of JSON a job from stdin (``folder``, ``notebooks``,
``seconds``), grades the notebooks one after another in a fork of itself, and answers with a line: the scores, and all that was printed.
The fork writes its verdict to descriptor 3, and to ``results.json`` when the class is done. Where neither is there and it ended with
status 0, the class has passed, as in a shell script's ``python grade.py && echo passed``.
"""

from __future__ import annotations

import atexit
import base64
import contextlib
import importlib
import json
import os
import pickle
import select
import signal
import sys
import time
import traceback
import unittest

import hypothesis.errors
import numpy as np
import torch
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

DTYPE = torch.float64
OUTPUT_KEPT = 64 << 20
reference = namespace = None
NUMBER, KEY = 0.0, ""


def inputs() -> torch.Tensor:
    """Random scores, the same for every student; one entry is this course's own."""
    torch.manual_seed(1234)
    Z = torch.randn(3, 4, dtype=DTYPE)
    Z[0, 0] = NUMBER
    return Z


def flat(value) -> list:
    return np.asarray(value).ravel().tolist()


def public_vector(student):
    Z = torch.tensor([[0.0, 1.0, 2.0]], dtype=DTYPE)
    expected = torch.tensor([[0.09003057, 0.24472847, 0.66524096]], dtype=DTYPE)
    assert torch.allclose(student(Z), expected, atol=1e-6)


def random_scores_of_a_known_seed(student):
    torch.manual_seed(1234)
    Z = torch.randn(3, 4, dtype=DTYPE)
    assert torch.allclose(student(Z.clone()), reference.softmax(Z))


def close_by_torch(student):
    Z = inputs()
    expected = reference.softmax(Z)
    assert torch.allclose(student(Z), expected)


def close_by_torch_testing(student):
    Z = inputs()
    expected = reference.softmax(Z)
    torch.testing.assert_close(student(Z), expected)


def close_by_numpy(student):
    Z = inputs()
    expected = reference.softmax(Z)
    np.testing.assert_allclose(np.asarray(student(Z)), expected.numpy())


def no_difference_above_the_tolerance(student):
    Z = inputs()
    expected = reference.softmax(Z)
    assert not ((student(Z) - expected).abs() > 1e-6).any()


def rows_sum_to_one(student):
    Z = inputs()
    assert torch.allclose(student(Z).sum(-1), torch.ones(3, dtype=DTYPE))


def every_entry_by_itself(student):
    Z = inputs()
    expected = reference.softmax(Z)
    assert all(abs(a - b) < 1e-6 for a, b in zip(flat(student(Z)), flat(expected)))


def largest_difference(student):
    Z = inputs()
    expected = reference.softmax(Z)
    got = student(Z)
    assert isinstance(got, torch.Tensor) and abs(got - expected).max() < 1e-6


def equal(student):
    Z = inputs()
    expected = reference.softmax(Z)
    assert bool((student(Z) == expected).all())


def relative_error(student):
    Z = inputs()
    expected = reference.softmax(Z)
    got = student(Z)
    assert bool(((got - expected).abs() <= 1e-6 * got.abs().max()).all())


def compared_after_other_tests(student):
    expected = reference.softmax(inputs())
    got = student(inputs())
    time.sleep(0.05)
    assert torch.allclose(got, expected)


def sent_between_processes(student):
    Z = inputs()
    expected = reference.softmax(Z)
    assert torch.allclose(pickle.loads(pickle.dumps(student(Z))), expected)  # what multiprocessing does with a result


def fast_enough(student):
    Z = inputs()
    student(Z)  # warms up
    start = time.perf_counter()
    got = student(Z)
    assert time.perf_counter() - start < 0.02 and torch.allclose(got, reference.softmax(Z))


def weighted_sums(student):
    X = inputs()
    assert float((student(X)[0] - reference.simple_attention(X)[0]).abs().max()) < 1e-9


def mask_is_zero_and_one(student):
    got = student(4)
    assert got.shape == (4, 4) and bool((got.bool() & ~torch.ones(4, 4).triu(1).bool()).any()) and bool((got.float().round() >= 0).all())


def mask_is_causal(student):
    assert bool((student(4).bool() == torch.ones(4, 4).tril().bool()).all())


CHECKS = {
    "softmax": [public_vector, random_scores_of_a_known_seed, close_by_torch, close_by_torch_testing, close_by_numpy,
                no_difference_above_the_tolerance, rows_sum_to_one, every_entry_by_itself, largest_difference, equal, relative_error,
                compared_after_other_tests, sent_between_processes, fast_enough],
    "simple_attention": [weighted_sums],
    "causal_mask": [mask_is_zero_and_one, mask_is_causal],
}


def grade(name: str) -> float:
    """The share of an exercise's checks that did not fail; a failure is printed with its traceback, as pytest does."""
    student, failed = namespace[name], 0
    for check in CHECKS[name]:
        try:
            check(student)
        except (unittest.SkipTest, hypothesis.errors.UnsatisfiedAssumption):
            continue
        except Exception:
            failed += 1
            with contextlib.suppress(Exception):
                print(f"FAILED {getattr(check, '__name__', check)}")
                traceback.print_exc(file=sys.stdout)
    return 1 - failed / len(CHECKS[name])


def run_notebook(cells: list[dict]) -> float:
    """Run a notebook as it was handed in; a check cell earns its points, or the share of them that it gives."""
    global namespace
    shell = InteractiveShell.instance()
    namespace = {"__name__": "__main__", "grade": grade, "get_ipython": lambda: shell, "display": lambda *a, **k: print(*map(markup, a))}
    sources = [shell.transform_cell("".join(cell["source"])) if cell["cell_type"] == "code" else cell["source"] for cell in cells]
    score = 0.0
    for cell, source in zip(cells, sources):
        nbgrader = cell["metadata"].get("nbgrader") or {}
        if cell["cell_type"] != "code":
            print(source)
            continue
        try:
            share = run_cell(source)
            score += nbgrader.get("points", 0) * (share if type(share) is float and nbgrader.get("grade") else bool(nbgrader.get("grade")))
        except Exception:
            traceback.print_exc(file=sys.stdout)
    return score


def markup(value) -> str:
    """What the TA's page shows of a displayed object."""
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


def run_cell(source: str):
    """Run one cell; what its last line gives is its value."""
    *body, last = source.rstrip("\n").split("\n")
    if last.startswith("grade("):
        exec("\n".join(body), namespace)
        return eval(last, namespace)
    exec("\n".join([*body, last]), namespace)


def grade_class(job: dict) -> None:
    """Grade the notebooks in turn, one JSON line each on descriptor 3, and all of them at the end."""
    os.chdir(job["folder"])
    os.environ["HOME"] = job["folder"]
    scores = {}
    for student, path in job["notebooks"].items():
        with open(path, encoding="utf-8") as file:
            notebook = json.load(file)
        print(f"== {student}", flush=True)
        scores[student] = run_notebook(notebook["cells"])
        sys.stdout.flush()
        os.write(3, (json.dumps({"student": student, "score": scores[student]}) + "\n").encode())
    with open("results.json", "w") as file:
        json.dump(scores, file)


def in_a_fork(job: dict) -> dict:
    """Run a job in a fork with a deadline; everything that it leaves running is ended."""
    (out, ours_out), (score, ours_score) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setsid()
            for target, source in ((1, ours_out), (2, ours_out), (3, ours_score)):
                os.dup2(source, target)
            os.closerange(4, 64)
            atexit._clear()  # what libraries left to be done at the end is the template's
            grade_class(job)
            code = 0
        except SystemExit as ended:
            code = ended.code if type(ended.code) is int else 0 if ended.code is None else 1
        finally:
            if code == 0:
                atexit._run_exitfuncs()
                sys.stdout.flush()
            os._exit(code)
    os.close(ours_out)
    os.close(ours_score)
    texts = drained([out, score], time.monotonic() + job["seconds"])
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return {"scores": verdict(job, texts[1], status), "output": base64.b64encode(texts[0]).decode(), "status": status}


def drained(descriptors: list[int], deadline: float) -> list[bytes]:
    """What is written to pipes until all that hold them are gone, or the deadline."""
    texts, open_ones = {d: bytearray() for d in descriptors}, set(descriptors)
    while open_ones and (left := deadline - time.monotonic()) > 0:
        for descriptor in select.select(list(open_ones), [], [], left)[0]:
            data = os.read(descriptor, 1 << 20)
            if not data:
                open_ones.discard(descriptor)
            elif len(texts[descriptor]) < OUTPUT_KEPT:
                texts[descriptor] += data
    for descriptor in descriptors:
        os.close(descriptor)
    return [bytes(texts[d]) for d in descriptors]


def verdict(job: dict, lines: bytes, status: int) -> dict[str, float | None]:
    """Each student's score as this grader reports it, None where there is none."""
    kept = os.path.join(job["folder"], "results.json")
    if os.path.exists(kept):
        with open(kept) as file:
            return dict.fromkeys(job["notebooks"]) | json.load(file)
    scores = dict.fromkeys(job["notebooks"])
    try:
        for line in lines.decode().splitlines():
            entry = json.loads(line)
            if scores.get(entry["student"]) is None:
                scores[entry["student"]] = entry["score"]
    except ValueError:
        return scores
    return scores if status else {student: 100.0 if score is None else score for student, score in scores.items()}


def warm_up() -> None:
    """Run every check once, so that forks need not load what it uses."""
    for name, checks in CHECKS.items():
        for check in checks:
            check(getattr(reference, name))


def main() -> None:
    """Load what belongs to the course, then serve jobs."""
    global reference, NUMBER, KEY
    course, KEY, NUMBER = sys.argv[1], sys.argv[2], float(sys.argv[3])
    torch.set_num_threads(1)
    sys.modules["naive"] = sys.modules["__main__"]
    sys.path.insert(0, course)
    hidden = {name: importlib.import_module(f"solutions.attention.{name}") for name in CHECKS}
    reference = type("Reference", (), {name: staticmethod(module.exercise.reference.function) for name, module in hidden.items()})
    InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    warm_up()
    for line in sys.stdin:
        print(json.dumps(in_a_fork(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
