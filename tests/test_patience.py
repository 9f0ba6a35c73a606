"""Limits in wall-clock seconds are not lowered by whatever else the machine is doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from autograder.box import start_box
from autograder.course import Limits
from autograder.student import OverLimit
from autograder.untrusted import wire
from autograder.worker import waited_for_a_core

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the time that was waited for a core is read from Linux's /proc")


@pytest.fixture(scope="module")
def box():
    box = start_box(Limits(), best="none")
    yield box
    box.close()


def cell(source):
    return [wire.encode({"do": "cell", "source": source})]


def test_a_worker_that_waits_for_its_core_gets_the_time_back(box):
    core = min(os.sched_getaffinity(0))
    pinned = f"import os\nos.sched_setaffinity(0, [{core}])\n"
    hogs = [subprocess.Popen([sys.executable, "-c", pinned + "while True:\n    pass"], start_new_session=True) for _ in range(6)]
    try:
        worker = box.worker()
        start = time.monotonic()
        list(worker.ask(cell(pinned + "import time\nstart = time.process_time()\nwhile time.process_time() < start + 0.5:\n    pass"),
                        replies=1, seconds=1.0))
        took, waited = time.monotonic() - start, worker.waited()
        assert took > 1.0 and waited > took / 2  # over the limit by the clock, but not by the worker's fault
        worker.kill()
    finally:
        for hog in hogs:
            hog.send_signal(signal.SIGKILL)
            hog.wait()


@pytest.mark.parametrize("source", ["import time\ntime.sleep(60)", "while True:\n    pass"])
def test_what_sleeps_or_loops_is_stopped(box, source):
    worker, start = box.worker(), time.monotonic()
    with pytest.raises(OverLimit, match="more than 1 seconds"):
        list(worker.ask(cell(source), replies=1, seconds=1.0))
    assert time.monotonic() - start > 1.0 and worker.closed


def test_nothing_is_known_of_a_process_that_is_gone():
    process = subprocess.Popen([sys.executable, "-c", ""])
    pidfd = os.pidfd_open(process.pid)
    process.wait()
    assert waited_for_a_core(pidfd) == 0.0
    os.close(pidfd)
