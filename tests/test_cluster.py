"""A class on a Dask cluster, and on 1, 2 and 4 processes here: the same results, and clear words where it cannot be."""

from __future__ import annotations

import dataclasses
import os
import random
import re
import shutil
import threading
import time

import distributed
import psutil
import pytest
from dask_processes import scheduler, worker
from support import ROOT, all_that_is_left, make_class, sleeping

from autograder import cluster
from autograder.places import CourseError
from autograder.batch import grade_class
from autograder.cluster import connect
from autograder.course import read_course
from autograder.submissions import handed_in

NAMES = ["reference", "without-the-scale", "raises", "ends-the-process", "not-attempted", "truncated"]
ALL = len(NAMES) + 1
SLEEPER = "zz sleeps"  # the last to be sent, in a task of its own


def mixed(folder):
    """A small class of every kind, with a file that has another name, a time stamp that is none, and an empty folder."""
    make_class(folder, NAMES)
    reference = folder / "submitted/01-reference/attention/attention.ipynb"
    reference.rename(reference.with_name("mine.ipynb"))
    (folder / "submitted/21-raises/attention/timestamp.txt").write_text("yesterday")
    (folder / "submitted/nobodý/attention").mkdir(parents=True)
    return folder


def with_sleeper(folder):
    """The mixed class, and a notebook that takes long."""
    mixed(folder)
    place = folder / "submitted" / SLEEPER / "attention"
    place.mkdir(parents=True)
    (place / "attention.ipynb").write_bytes(sleeping((folder / "submitted/01-reference/attention/mine.ipynb").read_bytes(), 100))
    return folder


def wait_for(condition, seconds=1200):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)


def noted(folder):
    """The ledger's entries."""
    return list((folder / ".autograder/graded/attention").glob("*.json"))


def course_of(folder):
    return read_course(folder / "course.yaml")


def graded(grader, folder, *, workers=1, shuffled=None):
    """Grade the class in a folder and return all that is left of it, with the results."""
    handed = handed_in(folder, "attention")
    if shuffled is not None:
        random.Random(shuffled).shuffle(handed)
    results = grade_class(dataclasses.replace(grader, course=course_of(folder)), folder, handed, workers=workers)
    document = results.model_dump(by_alias=True)
    document["submissions"].sort(key=lambda one: one["student"])
    return all_that_is_left(folder) | {"results": document}


@pytest.fixture(scope="module")
def expected(grader, tmp_path_factory):
    """What one process here leaves of the mixed class."""
    left = graded(grader, mixed(tmp_path_factory.mktemp("one") / "course"))
    outcomes = {one["outcome"] for one in left["results"]["submissions"]}
    assert {"correct", "wrong", "raised", "limit", "not_attempted", "unreadable"} <= outcomes and len(left["notebooks"]) == ALL
    return left


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    """The address of a scheduler with two workers."""
    folder = tmp_path_factory.mktemp("dask")
    with scheduler(folder) as (address, _), worker(folder, address, "one"), worker(folder, address, "two"):
        yield address


@pytest.mark.parametrize("workers, shuffled", [(2, None), (4, 1), (1, 2)])
def test_any_number_of_processes_and_any_order_give_the_same(grader, expected, tmp_path, workers, shuffled):
    assert graded(grader, mixed(tmp_path / "course"), workers=workers, shuffled=shuffled) == expected


def test_a_cluster_of_two_workers_gives_the_same_and_leaves_nothing_there(expected, two_workers, tmp_path):
    folder = mixed(tmp_path / "course")
    fleet = connect(course_of(folder), folder, "attention", two_workers)
    try:
        assert fleet.told.startswith("2 workers of")
        nodes = [process for process in psutil.process_iter(["cmdline"]) if "autograder.node" in (process.info["cmdline"] or [])]
        sent = fleet.client.run(lambda name, dask_worker: dask_worker.plugins[name].order, fleet.name)
        assert graded(fleet, folder, shuffled=3) == expected
        assert len(nodes) >= 2 and len(sent) == 2
        assert not any(word in order for order in sent.values() for word in (b"gradebook.db", str(folder).encode(), b"reference"))
    finally:
        folders = [process.cmdline()[-1] for process in nodes]
        fleet.close()
    assert not [folder for folder in folders if os.path.exists(folder)]


def test_a_scheduler_that_is_not_there_and_one_without_workers_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2)
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 2)
    folder = make_class(tmp_path / "course", NAMES[:1])
    with pytest.raises(CourseError, match="no scheduler answers at tcp://127.0.0.1:9.*start one with: dask scheduler"):
        connect(course_of(folder), folder, "attention", "tcp://127.0.0.1:9")
    with scheduler(tmp_path) as (address, _), pytest.raises(CourseError, match=f"has no workers; start some with: dask worker {address}"):
        connect(course_of(folder), folder, "attention", address)


def test_workers_with_weaker_walls_or_another_kit_refuse_and_the_others_go_on(grader, expected, two_workers, tmp_path):
    """One has a broken bwrap, and the course asks for what only bubblewrap gives; one has a kit with another line in it."""
    broken, other = tmp_path / "bin/bwrap", tmp_path / "other/autograder"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho no namespaces here >&2\nexit 1\n")
    broken.chmod(0o755)
    shutil.copytree(ROOT / "autograder", other, ignore=shutil.ignore_patterns("__pycache__"))
    (other / "compare.py").write_text((other / "compare.py").read_text() + "\n# another kit\n")
    folder, level = mixed(tmp_path / "course"), grader.box.level
    with worker(tmp_path, two_workers, "weak", PATH=f"{broken.parent}:{os.environ['PATH']}"), \
            worker(tmp_path, two_workers, "old", PYTHONPATH=str(other.parent)):
        with distributed.Client(two_workers, set_as_default=False) as client:
            client.wait_for_workers(4, timeout=200)
        fleet = connect(course_of(folder), folder, "attention", two_workers, least=level)
        try:
            reasons = sorted(fleet.refused.values())
            assert re.search("its kit is not the same as here: .*pip install -c constraints.txt", reasons[0])
            if level == "isolated":  # else there is nothing that this worker lacks
                assert re.search("would run at isolation level .* asks for 'isolated' at least", reasons[1])
                assert "2 workers of" in fleet.told
            assert graded(fleet, folder) == expected
            fleet.refused |= dict.fromkeys(fleet.client.nthreads(), "all of them")
            with pytest.raises(CourseError, match="(?s)no worker grades.*all of them"):
                list(fleet.outcomes(handed_in(folder, "attention")))
        finally:
            fleet.close()


def test_a_lost_scheduler_loses_nothing_that_is_graded(grader, expected, tmp_path):
    folder = with_sleeper(tmp_path / "course")
    with scheduler(tmp_path) as (address, process), worker(tmp_path, address, "one"):
        fleet = connect(course_of(folder), folder, "attention", address)

        def lose_it():
            wait_for(lambda: len(noted(folder)) == ALL)
            process.kill()
        killer = threading.Thread(target=lose_it)
        killer.start()
        try:
            with pytest.raises(CourseError, match="the connection to the scheduler at .* was lost.*What is graded is kept"):
                grade_class(fleet, folder, handed_in(folder, "attention"), workers=1)
        finally:
            killer.join()
            fleet.close()
    before = {path: path.stat().st_mtime_ns for path in noted(folder)}
    assert len(before) == ALL
    shutil.rmtree(folder / "submitted" / SLEEPER)
    assert graded(grader, folder) == expected
    assert {path: path.stat().st_mtime_ns for path in noted(folder)} == before


def test_what_kills_workers_is_set_aside_with_a_reason(grader, expected, tmp_path):
    """Each time that only the one notebook is left, the Dask worker is killed; the nanny starts another."""
    folder = with_sleeper(tmp_path / "course")
    over = threading.Event()
    with scheduler(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as (address, _), worker(tmp_path, address, "one") as nanny:
        fleet = connect(course_of(folder), folder, "attention", address)

        def kill_them():
            while not over.wait(1):
                for child in psutil.Process(nanny.pid).children() if len(noted(folder)) == ALL else []:
                    if any("autograder.node" in one.cmdline() for one in child.children()):
                        child.kill()
        killer = threading.Thread(target=kill_them)
        killer.start()
        try:
            results = grade_class(fleet, folder, handed_in(folder, "attention"), workers=1)
        finally:
            over.set()
            killer.join()
            fleet.close()
    assert {one.student: one.reason for one in results.submissions if one.outcome == "grader_fault"} == {SLEEPER: cluster.KILLED}
    assert len(noted(folder)) == ALL
    rest = {path: text for path, text in all_that_is_left(folder)["notebooks"].items() if SLEEPER not in path}
    assert rest == expected["notebooks"]
