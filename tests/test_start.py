"""A worker starts fast: the template has everything imported, and is one thread, without which it could not be forked."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support import ROOT

from autograder.box import start_box
from autograder.course import Limits
from autograder.launch import LEVELS

sys.path.insert(0, str(ROOT / "benchmarks"))
from start import start, threads  # noqa: E402 - the benchmark's own measure

STARTED = '''
import sys
from autograder.untrusted import template
template.import_everything()
before = set(sys.modules)
from autograder.untrusted import operations, shell, worker
import torch
worker.reseed()
shell.run_cell("import math\\nx = 1\\nx")
with shell.quiet():
    worker.encoded([operations.perform(torch.exp, ("call", (torch.ones(2),), {}, None), {"given": ""})])
print(sorted(set(sys.modules) - before))
'''


def test_nothing_is_imported_in_a_worker_that_the_template_could_have_imported():
    done = subprocess.run([sys.executable, "-c", STARTED], cwd=ROOT, capture_output=True, text=True,
                          env={"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "IPYTHONDIR": "/tmp/ipython"})
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


@pytest.mark.parametrize("level", LEVELS)
def test_the_template_is_one_thread_before_and_after_it_has_forked(level):
    box = start_box(Limits(), best=level)
    try:
        counts = [threads(box)]
        for _ in range(3):
            assert all(seconds >= 0 for seconds in start(box))
        assert [*counts, threads(box)] == [1, 1]
    finally:
        box.close()
