"""The control: a grader as many are, with the student's code, the checks, the reference and the verdict in one process.

`naive_server.py` runs it on a class. It writes its verdict to descriptor 3, and to ``results.json`` when the class is done.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pickle
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


def load(course: str, key: str, number: float) -> None:
    """Load what belongs to a course; run every check once, so that forks need not load what it uses."""
    global reference, NUMBER, KEY
    KEY, NUMBER = key, number
    torch.set_num_threads(1)
    sys.path.insert(0, course)
    hidden = {name: importlib.import_module(f"solutions.attention.{name}") for name in CHECKS}
    reference = type("Reference", (), {name: staticmethod(module.exercise.reference.function) for name, module in hidden.items()})
    InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    for name, checks in CHECKS.items():
        for check in checks:
            check(getattr(reference, name))
