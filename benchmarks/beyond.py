"""Beyond one machine: measures what one submission costs each station on its way, and simulates classes of 10,000 and 100,000 from that.

Stations: the workers' cores, the scheduler (one task at a time), the network at the client, the writer (one process: notebook, ledger, log,
gradebook row), and feedback pages. The simulation hands out tasks as the kit does, two to a core, and follows each through its stations;
it prints Markdown, which stands in guides/beyond.md.

    python benchmarks/beyond.py [--submissions 40] [--network 100]        # MB/s between client and workers
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import statistics
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

from cohorts import ASSIGNMENT, answers_of, make_ours

CORES = (2, 8, 32, 128, 512)
CLASSES = (10_000, 100_000)
PER_TASK = 12  # submissions in a task, as `autograder.cluster` sends them while many are left


@dataclass(frozen=True)
class Costs:
    """Seconds of each station: for a submission, and (`scheduler`) for a task; bytes that cross for a submission, both ways."""

    worker: float
    writer: float
    page: float
    scheduler: float
    bytes_out: float
    bytes_back: float


@dataclass(frozen=True)
class Run:
    """A simulated run: its wall-clock seconds, and the share of them that each station was busy."""

    wall: float
    busy: dict[str, float]

    @property
    def limit(self) -> str:
        """The busiest station."""
        return max(self.busy, key=self.busy.__getitem__)


def simulate(costs: Costs, submissions: int, cores: int, *, network: float, pages: bool) -> Run:
    """Follow every task through its stations. `network`: bytes a second at the client; `pages`: the writer makes feedback pages as well."""
    tasks = -(-submissions // PER_TASK)
    writer = costs.writer + (costs.page if pages else 0.0)
    link = scheduler = writing = 0.0  # when each is free again
    busy = {"workers": 0.0, "network": 0.0, "scheduler": 0.0, "writer": 0.0}
    free = [0.0] * cores
    flying: list[tuple[float, int]] = []  # (when graded, submissions)
    sent = 0
    end = 0.0
    heapq.heapify(free)

    def station(name: str, ready: float, free_at: float, takes: float) -> float:
        busy[name] += takes
        return max(ready, free_at) + takes

    now = 0.0
    while sent < tasks or flying:
        while sent < tasks and len(flying) < 2 * cores:
            size = min(PER_TASK, submissions - sent * PER_TASK)
            scheduler = station("scheduler", now, scheduler, costs.scheduler)
            link = station("network", scheduler, link, size * costs.bytes_out / network)
            core = heapq.heappop(free)
            graded = station("workers", link, core, size * costs.worker)
            heapq.heappush(free, graded)
            heapq.heappush(flying, (graded, size))
            sent += 1
        now, size = heapq.heappop(flying)
        link = station("network", now, link, size * costs.bytes_back / network)
        writing = station("writer", link, writing, size * writer)
        end = max(end, writing)
    return Run(end, {name: took / end / (cores if name == "workers" else 1) for name, took in busy.items()})


def measure(submissions: int) -> Costs:
    """What one submission costs each station on this machine, CPU seconds where it is work."""
    with tempfile.TemporaryDirectory(prefix="autograder-beyond-") as scratch:
        root = make_ours(Path(scratch) / "course", answers_of(submissions))
        before = Path.cwd()
        os.chdir(root)
        try:
            return _measured(root)
        finally:
            os.chdir(before)


def _measured(root: Path) -> Costs:
    from autograder.course import read_course
    from autograder.feedback import write_feedback
    from autograder.gradebook import ensure_assignment, open_gradebook
    from autograder.grader import make_grader
    from autograder.ledger import fingerprint, open_ledger
    from autograder.submissions import find_notebook, handed_in
    from autograder.writer import Writer
    course = read_course(root / "course.yaml")
    grader = make_grader(course, root, ASSIGNMENT, least="none")
    handed = handed_in(root, ASSIGNMENT)
    warm, rest = handed[:5], handed[5:]
    outcomes = {}
    for one in warm:
        outcomes[one.student] = grader.grade(one.student, find_notebook(one))
    ours = cpu(lambda: outcomes.update({one.student: grader.grade(one.student, find_notebook(one)) for one in rest}))
    grader.close()
    ledger = open_ledger(root, course, ASSIGNMENT, level=grader.box.sentence)
    with open_gradebook(course) as gradebook:
        ensure_assignment(gradebook, grader.blueprint, course)
        writer = Writer(root, gradebook, lambda sentence: ledger, grader.blueprint)
        for one in warm:
            writer.graded(one, fingerprint(one), outcomes[one.student])
        written = cpu(lambda: [writer.graded(one, fingerprint(one), outcomes[one.student]) for one in rest])
        writer.finish()
    write_feedback(root, course, warm)
    pages = cpu(lambda: write_feedback(root, course, rest))
    student = grader.box.cpu_seconds / len(handed)  # the template's start is in it: a little too much
    back = [len(one.notebook) + len(one.result.model_dump_json()) for one in outcomes.values()]
    out = [(one.folder / f"{ASSIGNMENT}.ipynb").stat().st_size for one in handed]
    return Costs(ours / len(rest) + student, written / len(rest), pages / len(rest), task_overhead(statistics.mean(out) + statistics.mean(back)),
                 statistics.mean(out), statistics.mean(back))


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process for some work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def task_overhead(size: float, tasks: int = 200) -> float:
    """Seconds that a Dask scheduler and its client need for a task which does nothing but carry a batch's bytes."""
    import distributed
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        batches = [bytes(8) + os.urandom(int(size)) * PER_TASK for _ in range(4)]
        client.gather([client.submit(len, batch, pure=False) for batch in batches])
        start = time.perf_counter()
        client.gather([client.submit(len, batches[number % 4], pure=False) for number in range(tasks)])
        return (time.perf_counter() - start) / tasks


def table(costs: Costs, network: float) -> str:
    """Classes and cores: how long, and what is the limit."""
    lines = ["| submissions | cores | grades, wall | limit | with feedback pages by the writer | limit |", "|---:|---:|---:|---|---:|---|"]
    for size in CLASSES:
        for cores in CORES:
            plain, paged = (simulate(costs, size, cores, network=network * 1e6, pages=pages) for pages in (False, True))
            lines.append(f"| {size:,} | {cores} | {told(plain.wall)} | {limit(plain)} | {told(paged.wall)} | {limit(paged)} |")
    return "\n".join(lines)


def limit(run: Run) -> str:
    """The busiest station and how busy it is."""
    return f"{run.limit}, {run.busy[run.limit]:.0%} busy"


def told(seconds: float) -> str:
    """Seconds in words."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--submissions", type=int, default=40)
    options.add_argument("--network", type=float, default=100.0)
    options.add_argument("--costs", help="costs as JSON, in place of measuring them")
    chosen = options.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    costs = Costs(**json.loads(chosen.costs)) if chosen.costs else measure(chosen.submissions)
    print(f"Measured, load {os.getloadavg()[0]:.1f}: {json.dumps({k: round(v, 6) for k, v in vars(costs).items()})}\n")
    print(table(costs, chosen.network))
    fewer = replace(costs, writer=costs.writer / 2)
    print(f"\nA writer twice as fast would take {told(simulate(fewer, CLASSES[-1], CORES[-1], network=chosen.network * 1e6, pages=False).wall)} "
          f"for {CLASSES[-1]:,} on {CORES[-1]} cores.")


if __name__ == "__main__":
    main()
