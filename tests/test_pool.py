"""The pool, and the template's duty towards it: no process is left at work for nobody."""

from __future__ import annotations

import dataclasses
import os
import shutil
import threading
from pathlib import Path

import psutil
import pytest
from support import ROOT, make_class, sleeping
from test_cluster import course_of, wait_for

from autograder import pool
from autograder.batch import grade_class
from autograder.box import BoxError, TemplateGone, start_again, start_box
from autograder.course import Limits
from autograder.deckfile import version_of
from autograder.pool import DIED
from autograder.submissions import handed_in
from autograder.untrusted import wire


@pytest.fixture
def box():
    """A box of the test's own, at whatever level this machine allows."""
    made = start_box(Limits())
    yield made
    made.close()


def test_when_a_process_hangs_up_its_workers_end(box):
    worker = box.worker()
    control = box._controls.pop(os.getpid())
    other = box.worker()  # over a connection of its own
    wire.send(worker.channel, 1, [wire.encode({"do": "cell", "source": "while True:\n    pass"})])
    control.close()
    worker.channel.settimeout(20)
    with pytest.raises((EOFError, ConnectionResetError)):
        wire.receive(worker.channel)
    reply, = other.ask([wire.encode({"do": "cell", "source": "1"})], replies=1, seconds=20)
    assert reply["error"] is None


def test_a_box_whose_template_is_gone_is_started_again_at_the_same_level(box):
    box.process.kill()
    wait_for(lambda: box.process.poll() is not None)
    with pytest.raises(TemplateGone):
        box.worker()
    again = start_again(box)
    try:
        assert again.sentence == box.sentence and again.address != box.address
        again.worker().kill()
    finally:
        again.close()


def test_a_box_that_cannot_be_had_again_is_told(box, monkeypatch):
    weaker = dataclasses.replace(box, canaries=dict.fromkeys(box.canaries, False))
    with pytest.raises(BoxError, match="no other like it could be started.*What is graded is kept"):
        start_again(weaker)


def test_what_kills_its_process_twice_is_set_aside_and_the_others_are_graded(grader, tmp_path):
    """The process that has the sleeper in hand is killed, whenever it is the last."""
    names = ["reference", "without-the-scale", "not-attempted"]
    folder = make_class(tmp_path / "course", names, lambda name, data: sleeping(data, 100) if name == "without-the-scale" else data)
    over, me = threading.Event(), psutil.Process()
    noted = folder / ".autograder/graded/attention"

    def kill_it():
        while not over.wait(0.5):
            if len(list(noted.glob("*.json"))) == 2:
                for child in me.children():
                    if child.cmdline() == me.cmdline():
                        child.kill()
    killer = threading.Thread(target=kill_it)
    killer.start()
    try:
        results = grade_class(dataclasses.replace(grader, course=course_of(folder)), folder, handed_in(folder, "attention"), workers=3)
    finally:
        over.set()
        killer.join()
    assert {one.student: (one.outcome, one.reason) for one in results.submissions if one.outcome not in ("correct", "not_attempted")} == {
        "10-without-the-scale": ("grader_fault", DIED)}
    assert len(list(noted.glob("*.json"))) == 2, "it is tried again next time"
    assert not pool.multiprocessing.active_children()


def test_the_version_does_not_depend_on_where_kit_and_course_lie(tmp_path, monkeypatch):
    """Found on a cluster: the order of the files' whole paths went into it, and a worker's folder is another than the course's."""
    shutil.copytree(ROOT / "solutions", tmp_path / "course/solutions")
    monkeypatch.chdir(tmp_path)
    places = [tmp_path / "course", Path("course"), Path("..") / tmp_path.name / "course"]
    assert len({version_of(place, "attention", 1) for place in places}) == 1
