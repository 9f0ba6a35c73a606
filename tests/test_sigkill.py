"""SIGKILL of any process of a run, at random moments: after a rerun all is as if nothing had happened. At least 40 kills in all."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from dask_processes import environment, scheduler, worker
from support import all_that_is_left, make_class, sleeping

from autograder.batch import grade_class
from autograder.box import BoxError
from autograder.course import read_course
from autograder.grader import Grader
from autograder.submissions import handed_in

NAMES = ["reference", "another-way-1", "without-the-scale", "raises", "not-attempted", "truncated"]
KILLS = 9  # of each of five kinds of process
SEED = 20270212
TURNS = 12


def six(folder: Path) -> Path:
    """A class of six; to grade one takes a while, so that there is time to kill."""
    return make_class(folder, NAMES, lambda name, data: data if name == "truncated" else sleeping(data, 0.4))


def graded(grader, folder: Path, *, force: bool = False, workers: int = 2) -> dict:
    """Grade the class once, in this process, and return all that is left of it."""
    ours = dataclasses.replace(grader, course=read_course(folder / "course.yaml"))
    try:
        results = grade_class(ours, folder, handed_in(folder, "attention"), workers=workers, force=force)
    finally:
        if isinstance(grader, Grader):
            grader.box = ours.box
    return all_that_is_left(folder) | {"results": results.model_dump(by_alias=True)}


@pytest.fixture(scope="module")
def expected(grader, tmp_path_factory):
    """What a run leaves that nobody disturbs."""
    return graded(grader, six(tmp_path_factory.mktemp("undisturbed") / "course"))


@contextlib.contextmanager
def killing(pid: int, kind: str, seed: int, count: int, folder: Path, level: str):
    """Let the killer loose below a process; what is yielded tells afterwards how many it killed."""
    told = folder / "killed"
    with open(told, "wb") as sink:
        killer = subprocess.Popen([sys.executable, Path(__file__).with_name("killer.py"), str(pid), kind, str(seed), str(count),
                                   folder / ".autograder/graded/attention", level], stdout=sink)
    try:
        yield lambda: len(told.read_text().split())
    finally:
        killer.kill()
        killer.wait()


@pytest.mark.parametrize("kind, workers", [("pool", 2), ("template", 2), ("student", 1)])
def test_what_is_killed_under_the_grader_changes_nothing(grader, expected, tmp_path, kind, workers):
    folder, killed = six(tmp_path / "course"), 0
    for turn in range(TURNS):
        with killing(os.getpid(), kind, SEED + turn, KILLS - killed, folder, grader.box.level) as count:
            try:
                graded(grader, folder, force=True, workers=workers)
            except BoxError:  # killed again while it was started anew: told in so many words, and the same command goes on
                assert kind == "template"
        killed += count()
        if killed >= KILLS:
            break
    assert killed >= KILLS
    assert graded(grader, folder) == expected


def test_a_killed_grader_loses_at_most_what_it_had_in_hand(expected, tmp_path):
    folder, drawn = six(tmp_path / "course"), random.Random(SEED)
    command = [sys.executable, "-m", "autograder.cli", "grade", "attention", "--no-feedback", "--workers", "2", "--json", "results.json"]
    kept, killed = {}, 0
    while killed < KILLS:
        process = subprocess.Popen(command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=drawn.uniform(0.5, 8))
            (folder / "results.json").unlink()  # it was done: what it knew is taken away, for others to be killed
            for path in list((folder / ".autograder/graded/attention").glob("*.json"))[:3]:
                path.unlink()
                kept.pop(path.name, None)
            continue
        process.kill()
        process.communicate()
        killed += 1
        now = {path.name: path.read_text() for path in (folder / ".autograder/graded/attention").glob("*.json")}
        assert now.items() >= kept.items()
        kept = now
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)
    assert done.returncode == 3, done.stdout + done.stderr
    assert all_that_is_left(folder) | {"results": json.loads((folder / "results.json").read_text())} == expected


def test_killed_dask_workers_change_nothing(grader, expected, tmp_path):
    from autograder.cluster import connect
    folder, killed = six(tmp_path / "course"), 0
    with scheduler(tmp_path) as (address, _), worker(tmp_path, address, "one") as one, worker(tmp_path, address, "two"):
        fleet = connect(read_course(folder / "course.yaml"), folder, "attention", address)
        try:
            for turn in range(TURNS):
                with killing(one.pid, "dask", SEED + turn, KILLS - killed, folder, grader.box.level) as count:
                    graded(fleet, folder, force=True)
                killed += count()
                if killed >= KILLS:
                    break
            assert killed >= KILLS
            assert graded(fleet, folder) == expected
        finally:
            fleet.close()
