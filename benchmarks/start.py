"""What starting a worker costs: from asking the template for one until it has answered its first request, at every level of isolation.

Also printed: the CPU time that template and worker take, end included; the threads of the template (it must be one: a process with more
cannot be forked safely); and the load of the machine, without which the other figures say little. The aim is a median of 25 ms at most.

    python benchmarks/start.py [--workers 200]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

from autograder.box import Box, BoxError, start_box
from autograder.course import Limits
from autograder.launch import ISOLATED, LEVELS
from autograder.untrusted import wire

REQUEST = wire.encode({"do": "cell", "source": "answer = 42"})
WARM_UP = 5


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=200)
    count = options.parse_args().workers
    print(f"{len(os.sched_getaffinity(0))} cores, {count} workers at each level\n")
    print("| level | median ms | p90 ms | fastest ms | given out after ms | CPU ms a worker | threads of the template | load before |")
    print("|---|---|---|---|---|---|---|---|")
    for level in LEVELS:
        print(row(level, count))


def row(level: str, count: int) -> str:
    """One line of the table, or why there is none."""
    try:
        box = start_box(Limits(), best=level)
    except BoxError as error:
        return f"| {level} | not to be had: {error} |"
    try:
        if box.level != level:
            return f"| {level} | not to be had on this machine: {box.missing} |"
        load = os.getloadavg()[0]
        for _ in range(WARM_UP):
            start(box)
        before = cpu_seconds(box)
        given, answered = ([1000 * one for one in column] for column in zip(*(start(box) for _ in range(count))))
        cpu = 1000 * (cpu_seconds(box) - before) / count
        return (f"| {level} | {statistics.median(answered):.1f} | {statistics.quantiles(answered, n=10)[-1]:.1f} | {min(answered):.1f} | "
                f"{statistics.median(given):.1f} | {cpu:.1f} | {threads(box)} | {load:.1f} |")
    finally:
        box.close()


def start(box: Box) -> tuple[float, float]:
    """Seconds until a worker was handed out, and until it had answered."""
    begin = time.perf_counter()
    worker = box.worker()
    given = time.perf_counter() - begin
    list(worker.ask([REQUEST], replies=1, seconds=30))
    answered = time.perf_counter() - begin
    worker.kill()
    return given, answered


def template(box: Box) -> Path:
    """The template's folder in /proc. Inside bubblewrap it is the second Python below it: the first only waits."""
    folder, pythons = Path(f"/proc/{box.process.pid}"), 0
    while box.level == ISOLATED:
        pythons += (folder / "comm").read_text().startswith("python")
        if pythons == 2:
            break
        children = [child for task in (folder / "task").iterdir() for child in (task / "children").read_text().split()]
        folder = Path(f"/proc/{children[0]}")
    return folder


def threads(box: Box) -> int:
    """How many threads the template has."""
    return len(list((template(box) / "task").iterdir()))


def cpu_seconds(box: Box) -> float:
    """CPU time of the template and of its workers that have ended."""
    numbers = (template(box) / "stat").read_text().rpartition(")")[2].split()[11:15]
    return sum(map(int, numbers)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
