"""What grading a class costs: `autograder grade` beside stock nbgrader, Otter and `jupyter execute`, on the same notebooks and checks.

All grade the same classes in the same run, one torch thread each; CPU seconds (user + system, children included) are compared, and ours
are sandboxed and written into the gradebook, with notebooks from which feedback is made. The others' check cells run every check of ours,
hidden ones too, under hypothesis with as many examples, in the student's kernel. Prints one Markdown table after another.

    python benchmarks/grading.py                  # all of it: about 20 minutes on two cores
    python benchmarks/grading.py --quick          # up to 100 submissions, each once: about five minutes
    python benchmarks/grading.py --only desk      # or: classes, failing, parts
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cohorts import ASSIGNMENT, BIN, MIXED, RIGHT, ROOT, WRONG, answers_of, make_ours, make_stock  # noqa: E402
from rivals import Cost, jupyter_execute, otter_run, otter_scores, stock, timed  # noqa: E402


@dataclass(frozen=True)
class Plan:
    """How much is measured: sizes of our classes, of the stock ones, and how often."""

    ours: tuple[int, ...] = (10, 16, 32, 100, 1000)
    stock: tuple[int, ...] = (16,)
    single: int = 3
    repeat: int = 3


QUICK = Plan(ours=(16, 32, 100), stock=(16,), single=1, repeat=1)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true")
    options.add_argument("--only", choices=["desk", "classes", "failing", "parts"], action="append")
    chosen = options.parse_args()
    plan, parts = QUICK if chosen.quick else Plan(), chosen.only or ["classes", "failing", "parts", "desk"]
    os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    print(f"{len(os.sched_getaffinity(0))} cores, load before {os.getloadavg()[0]:.1f}; {ASSIGNMENT}, one torch thread, medians of {plan.repeat} interleaved runs (a thousand: one run)")
    with tempfile.TemporaryDirectory(prefix="autograder-bench-") as scratch:
        if "classes" in parts:
            print_classes(Path(scratch), plan)
        if "failing" in parts:
            print_failing(Path(scratch), plan)
    if "parts" in parts:
        print_parts()
    if "desk" in parts:
        print_desk(plan.repeat)


def grade(course: Path, *, workers: int = 1, feedback: bool = False) -> Cost:
    """`autograder grade` over a whole course of ours, from nothing graded; the deck of an earlier run is kept, as it is for a second class."""
    for name in ("autograded", "feedback"):
        shutil.rmtree(course / name, ignore_errors=True)
    command = [BIN / "autograder", "grade", ASSIGNMENT, "--workers", str(workers), "--least-isolation", "none", "--force", "--progress", "lines",
               "--feedback" if feedback else "--no-feedback"]
    cost, said = timed(command, course, accept=(0, 3))
    end = json.loads(said.strip().splitlines()[-1])
    return Cost(cost.cpu + end["cpu_seconds"]["student_code"], cost.wall, end["peak_memory_mb"])


def note(costs: dict[tuple[str, int], list[Cost]], way: str, size: int, cost: Cost) -> None:
    """Keep one measured cost, and say it at once: a long run that is broken off has not been for nothing."""
    costs.setdefault((way, size), []).append(cost)
    print(f"{way}, {size}: {cost.cpu:.2f} CPU s, {cost.wall:.1f} s", file=sys.stderr)


def middle(costs: list[Cost]) -> Cost:
    """The medians."""
    return Cost(*(statistics.median(getattr(cost, name) for cost in costs) for name in ("cpu", "wall", "memory_mb")))


def print_classes(scratch: Path, plan: Plan) -> None:
    """Ours on one and two workers, the others, and the ratios."""
    answers = answers_of(max(*plan.ours, *plan.stock))
    ours = {size: make_ours(scratch / f"ours-{size}", answers[:size]) for size in plan.ours}
    others = {size: make_stock(scratch / f"stock-{size}", answers[:size]) for size in plan.stock}
    for size, course in ours.items():  # the gradebook exists and the deck is drawn
        if size <= 100:
            grade(course)
    costs: dict[tuple[str, int], list[Cost]] = {}
    for turn in range(plan.repeat):
        print(f"run {turn + 1} of {plan.repeat} …", file=sys.stderr)
        for size, course in ours.items():
            for workers in (1, 2) if turn == 0 or size < 1000 else ():
                note(costs, f"autograder grade, {_workers(workers)}", size, grade(course, workers=workers))
        note(costs, "autograder grade, 1 worker, feedback pages too", plan.ours[0], grade(ours[plan.ours[0]], feedback=True))
        for size, course in others.items():
            note(costs, "nbgrader autograde, stock", size, stock(course))
        for number in range(plan.single):
            note(costs, "jupyter execute", 1, jupyter_execute(others[plan.stock[0]], number))
            note(costs, "otter run", 1, otter_run(others[plan.stock[0]], number))
            if not any(otter_scores(others[plan.stock[0]]).values()):
                raise SystemExit("Otter gave no point at all: its tests did not run")
    _print_table({key: middle(runs) for key, runs in costs.items()}, plan)


def _workers(count: int) -> str:
    return f"{count} worker{'s' if count > 1 else ''}"


def _print_table(costs: dict[tuple[str, int], Cost], plan: Plan) -> None:
    apiece = {size: costs["nbgrader autograde, stock", size].cpu / size for size in plan.stock}
    print("\n| way | submissions | CPU s | CPU s each | wall s | stock / this (CPU each) | peak memory of the grader, MB |\n|---|---:|---:|---:|---:|---:|---:|")
    for (way, size), cost in costs.items():
        nearest = apiece[min(apiece, key=lambda one: abs(one - size))]
        memory = f"{cost.memory_mb:.0f}" if cost.memory_mb else ""
        print(f"| {way} | {size} | {cost.cpu:.1f} | {cost.cpu / size:.3f} | {cost.wall:.1f} | {nearest / (cost.cpu / size):.1f} | {memory} |")
    one = {size: costs["autograder grade, 1 worker", size] for size in plan.ours}
    few, many = plan.ours[0], plan.ours[-1]
    marginal = (one[many].cpu - one[few].cpu) / (many - few)
    print(f"\nMarginal: {marginal:.3f} CPU s a submission, stock / ours {apiece[plan.stock[-1]] / marginal:.1f}.")
    hundred = one[100].cpu if 100 in one else one[many].cpu
    print(f"{many} submissions take {one[many].cpu / hundred:.1f} times what {min(100, many)} take (CPU).")


def print_failing(scratch: Path, plan: Plan) -> None:
    """A class in which everybody fails everywhere, beside one in which all pass."""
    size = 32
    courses = {kind: make_ours(scratch / kind.replace(" ", "-"), answers_of(size, kind)) for kind in (RIGHT, MIXED, WRONG)}
    for course in courses.values():
        grade(course)
    costs = {kind: middle([grade(course) for _ in range(plan.repeat)]) for kind, course in courses.items()}
    print(f"\n| class of {size} | CPU s | CPU s each | times all right |\n|---|---:|---:|---:|")
    for kind, cost in costs.items():
        print(f"| {kind} | {cost.cpu:.1f} | {cost.cpu / size:.3f} | {cost.cpu / costs[RIGHT].cpu:.2f} |")


PARTS = '''
import json, sys, time
from pathlib import Path
import torch
torch.set_num_threads(1)
from autograder.course import read_course
from autograder.assignment import with_staff_half
from autograder.deckfile import kept_deck
from autograder.deck import replay
from autograder.untrusted.operations import perform
root, assignment = Path(sys.argv[1]), sys.argv[2]
course = read_course(root / "course.yaml")
exercises = with_staff_half(assignment, root)
decks = kept_deck(root, assignment, exercises, seed=course.seed)
def floor(sources):
    space = {"torch": torch, "math": __import__("math")}
    for source in sources:
        exec(source, space)
    took = {"student's calls": 0.0, "comparisons": 0.0}
    for name, deck in decks.items():
        for check in deck.checks:
            for index, case in enumerate(check.cases):
                start = time.process_time()
                answers = [perform(space[name], operation, deck.exercise.context) for operation in case.operations]
                called = time.process_time()
                error, _ = replay(check, index, deck.exercise, answers, lambda operation: perform(space[name], operation, deck.exercise.context))
                took["student's calls"] += called - start
                took["comparisons"] += time.process_time() - called
    return took
answers = json.loads(sys.stdin.read())
floor(answers[0])
print(json.dumps([floor(one) for one in answers]))
'''


def print_parts() -> None:
    """The floor: the student's functions and the comparisons in one process, and nothing else."""
    answers = [list(one.values()) for one in answers_of(8, RIGHT)]
    done = subprocess.run([sys.executable, "-c", PARTS, ROOT, ASSIGNMENT], input=json.dumps(answers), capture_output=True, text=True, check=True)
    runs = json.loads(done.stdout)
    print("\n| part, in one process | CPU ms a submission |\n|---|---:|")
    for name in runs[0]:
        print(f"| {name} | {1000 * statistics.median(run[name] for run in runs):.1f} |")
    print(f"| **floor** | {1000 * statistics.median(sum(run.values()) for run in runs):.1f} |")


DESK = '''
import contextlib, io, json, sys, time
import torch
torch.set_num_threads(1)
from autograder import check
answers = json.loads(sys.stdin.read())
def answered(source):
    space = {"torch": torch, "math": __import__("math")}
    exec(source, space)
    name = [n for n, v in space.items() if getattr(v, "__name__", "") == sys.argv[1]][0]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        start = time.perf_counter()
        check(space[name])
        return time.perf_counter() - start
print(json.dumps([answered(source) for source in answers]))
'''


def print_desk(repeat: int) -> None:
    """How long `check(...)` takes: in a fresh session, then right again, then wrong, for every exercise."""
    from autograder.answers import answer_source
    from autograder.assignment import with_staff_half
    print("\nThe check cell's answer, seconds (medians over the repeats; wrong: the slowest of the known misconceptions):\n")
    print("| exercise | first, right | first, wrong | after, right | after, wrong |\n|---|---|---|---|---|")
    for name, exercise in with_staff_half(ASSIGNMENT, ROOT).items():
        path = ROOT / "solutions" / ASSIGNMENT / f"{name}.py"
        right = answer_source(path, name, name)
        wrong = [answer_source(path, known.name, name) for known in exercise.misconceptions]
        runs = [desk_times(name, [right, right, *wrong]) for _ in range(repeat)]
        firsts = [desk_times(name, [wrong[0]])[0] for _ in range(repeat)]
        columns = [[run[0] for run in runs], firsts, [run[1] for run in runs], [max(run[2:]) for run in runs]]
        print(f"| {name} | " + " | ".join(f"{statistics.median(column):.3f}" for column in columns) + " |")


def desk_times(name: str, sources: list[str]) -> list[float]:
    done = subprocess.run([sys.executable, "-c", DESK, name], input=json.dumps(sources), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
