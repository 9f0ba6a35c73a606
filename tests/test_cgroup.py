"""A cgroup that was handed over is divided and limited; any other is left alone, and nothing that fails about it stops grading.

The kernel's part is played by folders: what is written where is checked, and that a real template starts with it and is graded with.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder import cgroup
from autograder.box import start_box
from autograder.cgroup import entering, handed_over, make_group, remove_group
from autograder.course import Limits
from autograder.launch import CONFINED, ISOLATED


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """Folders and files as the kernel has them for a container's own cgroup, in which this process is alone."""
    mount = tmp_path / "cgroup"
    mount.mkdir()
    for name, text in {"cgroup.type": "domain", "cgroup.controllers": "cpu memory pids", "cgroup.procs": f"{os.getpid()}\n",
                       "cgroup.subtree_control": ""}.items():
        (mount / name).write_text(text)
    (tmp_path / "table").write_text("0::/\n")
    monkeypatch.setattr(cgroup, "handed_over", lambda: handed_over(mount, tmp_path / "table"))
    return mount


def test_limits_are_written_and_the_grader_steps_aside(kernel):
    group = make_group(Limits(memory_mb=1024, threads=100))
    assert group.parent == kernel and (group / "pids.max").read_text() == "164"
    assert 0 < int((group / "memory.max").read_text()) <= (2 * os.cpu_count() * 1024 + 1024) << 20
    assert (kernel / cgroup.LEAF / "cgroup.procs").read_text() == str(os.getpid())
    assert (kernel / "cgroup.subtree_control").read_text() == "+memory +pids"


@pytest.mark.parametrize("spoil", [
    lambda kernel: (kernel / "cgroup.type").unlink(),
    lambda kernel: (kernel / "cgroup.controllers").write_text("cpu memory"),
    lambda kernel: (kernel / "cgroup.procs").write_text(f"{os.getpid()}\n1\n"),
    lambda kernel: (kernel / "cgroup.controllers").unlink(),
    lambda kernel: (kernel.parent / "table").write_text("4:memory:/mine\n"),
    lambda kernel: (kernel.parent / "table").unlink(),
    lambda kernel: (kernel / "cgroup.subtree_control").unlink(),
], ids=["the_machine's_root", "no_pids", "others_live_here", "no_controllers", "version_1_only", "no_table", "not_to_be_divided"])
def test_what_was_not_handed_over_is_left_alone(kernel, spoil):
    spoil(kernel)
    before = sorted(kernel.rglob("*"))
    assert make_group(Limits()) is None and sorted(kernel.rglob("*")) == before


def test_a_cgroup_of_somebody_else_is_left_alone_even_by_root(kernel, tmp_path):
    service = kernel / "system.slice"
    service.mkdir()
    for name in ("cgroup.type", "cgroup.controllers", "cgroup.procs", "cgroup.subtree_control"):
        (service / name).write_text((kernel / name).read_text())
    (tmp_path / "table").write_text("0::/system.slice\n")
    assert handed_over(kernel, tmp_path / "table") == (service if os.geteuid() else None)
    try:
        os.setxattr(service, "user.delegate", b"1")
    except OSError:
        pytest.skip("this file system keeps no such marks")
    assert handed_over(kernel, tmp_path / "table") == service


def test_the_second_box_of_a_process_finds_the_same_place(kernel, tmp_path):
    first = make_group(Limits())
    (kernel / "cgroup.procs").write_text("")
    (tmp_path / "table").write_text(f"0::/{cgroup.LEAF}\n")
    second = make_group(Limits())
    assert second.parent == first.parent == kernel and second != first


def test_removal_never_raises_and_empty_ones_are_cleared_by_the_next(kernel):
    left = kernel / "autograder-box-dead"
    left.mkdir()
    group = make_group(Limits())
    assert not left.exists()
    remove_group(group)  # its files keep a mere folder from being removed
    for path in group.iterdir():
        path.unlink()
    remove_group(group)
    assert not group.exists()
    remove_group(group)
    remove_group(None)


@pytest.mark.parametrize("level", [ISOLATED, CONFINED])
def test_a_template_enters_and_is_graded_with(kernel, level):
    box = start_box(Limits(), best=level)
    try:
        if box.level not in (ISOLATED, CONFINED):
            pytest.skip(f"this machine has no level {level}")
        assert box.group.parent == kernel and cgroup.SENTENCE in box.sentence
        assert int((box.group / "cgroup.procs").read_text()) > 1
        box.worker().kill()
    finally:
        box.close()


def test_a_group_that_cannot_be_entered_stops_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr("autograder.launch.make_group", lambda limits: Path(tmp_path, "nowhere"))
    box = start_box(Limits())
    box.worker().kill()
    box.close()
    assert entering(None, ["x"]) == ["x"]
