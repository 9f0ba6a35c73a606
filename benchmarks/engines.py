"""What starting costs: a class graded by the embedded pool, and by a Dask LocalCluster with the same number of processes.

The same kit, class and commands; the two take turns. Wall time, and CPU seconds (user + system) of all processes.

    python benchmarks/engines.py [--submissions 6] [--workers 2] [--repeat 3]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WAYS = ("pool", "localcluster")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--submissions", type=int, default=6)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--one", choices=WAYS, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.one:
        print(json.dumps(grade(chosen.one, Path.cwd(), chosen.workers)))
    else:
        compare(chosen.submissions, chosen.workers, chosen.repeat)


def compare(submissions: int, workers: int, repeat: int) -> None:
    """Print a table of medians."""
    measured: dict[str, list[tuple[float, float, float]]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory(prefix="autograder-bench-") as scratch:
        course = make_course(Path(scratch, "course"), submissions)
        for _ in range(repeat + 1):
            for way in WAYS:
                measured[way].append(run(way, course, workers))
    load = f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"{submissions} submissions, {workers} processes, {repeat} repeats; {load}\n")
    print("| engine | wall, s | CPU, s | wall until the first can be graded, s |\n|---|---|---|---|")
    for way, runs in measured.items():
        wall, cpu, ready = map(statistics.median, zip(*runs[1:]))  # the first draws the deck
        print(f"| {way} | {wall:.1f} | {cpu:.1f} | {ready:.1f} |")


def make_course(folder: Path, submissions: int) -> Path:
    """A class of right and wrong answers, none of them broken or hostile."""
    from autograder.demo import demo_class
    for name in ("release", "solutions"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "course.yaml", folder / "course.yaml")
    sound = [one for one in demo_class(ROOT) if one.outcome in ("correct", "wrong")]
    for number in range(submissions):
        place = folder / "submitted" / f"{number:04d}" / "attention"
        place.mkdir(parents=True)
        (place / "attention.ipynb").write_bytes(sound[number % len(sound)].data)
    return folder


def run(way: str, course: Path, workers: int) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds, and seconds to be ready, of one run in a process of its own."""
    (course / "gradebook.db").unlink(missing_ok=True)
    shutil.rmtree(course / "autograded", ignore_errors=True)
    shutil.rmtree(course / ".autograder/graded", ignore_errors=True)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, __file__, "--one", way, "--workers", str(workers)]
    done = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.loads(done.stdout.splitlines()[-1])


def grade(way: str, course: Path, workers: int) -> float:
    """Grade the class; returns the seconds until all was ready to grade."""
    started = time.perf_counter()
    from autograder.batch import grade_class
    from autograder.course import read_course
    from autograder.submissions import handed_in
    model = read_course(course / "course.yaml")
    if way == "pool":
        from autograder.grader import make_grader
        grader, cluster = make_grader(model, course, "attention", least="none"), None
    else:
        from distributed import LocalCluster

        from autograder.cluster import connect
        cluster = LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)
        grader = connect(model, course, "attention", cluster.scheduler_address, least="none")
    ready = time.perf_counter() - started
    try:
        grade_class(grader, course, handed_in(course, "attention"), workers=workers)
    finally:
        grader.close()
        if cluster is not None:
            cluster.close()
    return ready


if __name__ == "__main__":
    main()
