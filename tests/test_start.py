"""A worker starts fast: the template has everything imported, and is one thread, without which it could not be forked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT

from autograder.box import start_box
from autograder.course import Limits
from autograder.launch import LEVELS, _shared_kit

sys.path.insert(0, str(ROOT / "benchmarks"))
from start import start, threads  # noqa: E402 - the benchmark's own measure

STARTED = '''
import sys
from pathlib import Path
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


def test_the_kit_that_workers_share_can_be_read_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        folder = Path(_shared_kit(tmp_path / "kit"))
    finally:
        os.umask(before)
    assert all(path.stat().st_mode & 0o444 == 0o444 and (path.is_file() or path.stat().st_mode & 0o111 == 0o111) for path in [folder, *folder.rglob("*")])
