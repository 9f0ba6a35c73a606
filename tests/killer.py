"""Kills processes of a run with SIGKILL, at moments drawn from a seed, and prints a line for each.

``killer.py PID KIND SEED COUNT LEDGER LEVEL``. A program of its own, for the run under test forks. It paces itself by the ledger: no piece of work meets it twice but by chance.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import psutil

TEMPLATE = "autograder.untrusted.template"


def main(pid: int, kind: str, seed: int, count: int, ledger: Path, level: str) -> int:
    """Kill `count` processes of a kind below `pid`, one for each entry that comes into the ledger; returns how many there were."""
    drawn, killed, seen = random.Random(seed), 0, -1
    while killed < count and psutil.pid_exists(pid):
        entries = len(list(ledger.glob("*.json"))) if ledger.is_dir() else 0
        mtime = max((path.stat().st_mtime_ns for path in ledger.glob("*.json")), default=0) if entries else 0
        if mtime == seen:
            time.sleep(0.01)
            continue
        time.sleep(drawn.uniform(0, 0.6))
        found = targets(psutil.Process(pid), kind, level) if psutil.pid_exists(pid) else []
        try:
            drawn.choice(found).kill()
        except (IndexError, psutil.NoSuchProcess):
            continue
        killed, seen = killed + 1, mtime
        print(killed, flush=True)
    return killed


def targets(root: psutil.Process, kind: str, level: str) -> list[psutil.Process]:
    """The processes of a kind below `root`."""
    every = below(root)
    if kind == "pool":  # forked from the grader, and no other program since
        return [process for process in every if process.ppid() == root.pid and command(process) == command(root)]
    if kind == "dask":  # what a nanny has started, and a node has been started by
        return [process for process in every if any("autograder.node" in command(child) for child in below(process, recursive=False))]
    templates = [process for process in every if is_template(process)]
    students = [process for process in templates if depth(process) > (4 if level == "isolated" else 1)]
    return students if kind == "student" else [process for process in templates if process not in students]


def below(process: psutil.Process, *, recursive: bool = True) -> list[psutil.Process]:
    """The processes below one, as far as they live."""
    try:
        return [child for child in process.children(recursive=recursive) if command(child)]
    except psutil.Error:
        return []


def command(process: psutil.Process) -> list[str]:
    """A process's command line; empty where it has ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def is_template(process: psutil.Process) -> bool:
    """Whether it is a template, one of those around it, or a worker forked from it."""
    return any(TEMPLATE in part for part in command(process))


def depth(process: psutil.Process) -> int:
    """How many processes in a row, from this one upwards, are of the template's family."""
    count = 0
    while process is not None and is_template(process):
        process, count = process.parent(), count + 1
    return count


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]), sys.argv[6])
