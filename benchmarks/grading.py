"""What grading costs: `autograder grade` beside stock `nbgrader autograde` with in-kernel asserts of the same strength.

Both grade the same class in the same run, one torch thread each, and CPU seconds (user + system, children included) are
compared. Stock's check cells run every check of ours, hidden ones too, under hypothesis with as many examples, in the
student's kernel. Also printed: how long the check cell takes to answer at the student's desk.

    python benchmarks/grading.py [--submissions 32] [--repeat 3]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
HOLDS = '''
"""In-kernel asserts: every check of an exercise under hypothesis, on the function of this very process."""
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from autograder.assignment import with_staff_half
from autograder.explore import seed_of, smallest_failure
from autograder.student import local

EXERCISES = with_staff_half("attention", Path({root!r}))

def holds(name, function):
    exercise = EXERCISES[name]
    for check in exercise.checks:
        failure = smallest_failure(check, local(function, exercise), seed=seed_of(name, check.name))
        assert failure is None, str(failure.error)
'''


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--submissions", type=int, default=32)
    options.add_argument("--repeat", type=int, default=3)
    chosen = options.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    print_desk(chosen.repeat)
    print_classes(chosen.submissions, chosen.repeat)


def print_classes(submissions: int, repeat: int) -> None:
    with tempfile.TemporaryDirectory(prefix="autograder-bench-") as scratch:
        ours, stock = Path(scratch, "ours"), Path(scratch, "stock")
        answers = class_answers(submissions)
        make_ours(ours, answers)
        make_stock(stock, answers)
        timed(ours, [str(BIN / "autograder"), "grade", "attention", "--least-isolation", "none", "--no-feedback", "--force"])  # both gradebooks exist
        costs: dict[str, list[tuple[float, float]]] = {"autograder grade": [], "with feedback pages": [], "nbgrader autograde, stock": []}
        for turn in range(repeat):
            print(f"run {turn + 1} of {repeat} …", file=sys.stderr)
            base = [str(BIN / "autograder"), "grade", "attention", "--least-isolation", "none", "--workers", "1", "--force"]
            costs["autograder grade"].append(timed(ours, [*base, "--no-feedback"]))
            costs["with feedback pages"].append(timed(ours, base))
            costs["nbgrader autograde, stock"].append(timed(stock, [str(BIN / "nbgrader"), "autograde", "attention"],
                                                            extra={"PYTHONPATH": str(stock)}))
    print_costs(costs, submissions, repeat)


def print_costs(costs: dict[str, list[tuple[float, float]]], submissions: int, repeat: int) -> None:
    middle = {name: [statistics.median(run[i] for run in runs) for i in (0, 1)] for name, runs in costs.items()}
    stock = middle["nbgrader autograde, stock"][0]
    print(f"\n{submissions} submissions of attention, medians of {repeat} interleaved runs, whole command:\n")
    print("| way | CPU s | CPU s per submission | wall s | stock / this (CPU) |\n|---|---|---|---|---|")
    for name, (cpu, wall) in middle.items():
        print(f"| {name} | {cpu:.1f} | {cpu / submissions:.3f} | {wall:.1f} | {stock / cpu:.1f} |")


def timed(folder: Path, command: list[str], *, extra: dict[str, str] | None = None) -> tuple[float, float]:
    """CPU and wall seconds of `command`, its children included, from a course without results."""
    for name in ("autograded", "feedback"):
        shutil.rmtree(folder / name, ignore_errors=True)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, env=os.environ | (extra or {}), capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stderr[-2000:]}")
    apart = re.search(r"student code took ([0-9.]+) CPU seconds", done.stdout)  # in namespaces, which rusage does not see
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime + (float(apart[1]) if apart else 0.0)
    return cpu, time.monotonic() - start


def class_answers(submissions: int) -> list[dict[str, str]]:
    """The answers of a class: three quarters right, in several ways, one quarter with one mistake each."""
    from autograder.answers import answer_source, reference_answers
    from autograder.assignment import with_staff_half
    right = reference_answers(ROOT, "attention")
    exercises = list(with_staff_half("attention", ROOT).values())
    answers = []
    for number in range(submissions):
        chosen = dict(right)
        for place, exercise in enumerate(exercises):
            ways = [None, *exercise.alternates]
            way = ways[(number + place) % len(ways)]
            if number % 4 == 3 and place == number // 4 % len(exercises):
                way = exercise.misconceptions[number // 4 % len(exercise.misconceptions)]
            if way is not None:
                chosen[exercise.name] = answer_source(ROOT / "solutions/attention" / f"{exercise.name}.py", way.name, exercise.name)
        answers.append(chosen)
    return answers


def make_ours(folder: Path, answers: list[dict[str, str]]) -> None:
    from autograder.answers import filled_in
    folder.mkdir()
    for name in ("course.yaml", "source", "release", "solutions"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile)(ROOT / name, folder / name)
    release = (ROOT / "release/attention/attention.ipynb").read_text()
    hand_in(folder, [filled_in(release, one) for one in answers])


def make_stock(folder: Path, answers: list[dict[str, str]]) -> None:
    """A stock course: the same notebook, with in-kernel asserts in the check cells and figures left out as in ours."""
    from autograder.answers import filled_in
    (folder / "source/attention").mkdir(parents=True)
    (folder / "stock_holds.py").write_text(HOLDS.format(root=str(ROOT)))
    (folder / "nbgrader_config.py").write_text('c = get_config()\nc.CourseDirectory.course_id = "stock"\n')
    notebook = json.loads((ROOT / "source/attention/attention.ipynb").read_text())
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["metadata"]["autograder"]["kind"] not in ("figure", "experiment")]
    for cell in notebook["cells"]:
        if cell["metadata"]["autograder"]["kind"] == "checks":
            name = cell["id"].removesuffix("-checks")
            cell["source"] = f"from stock_holds import holds\nholds({name!r}, {name})"
    (folder / "source/attention/attention.ipynb").write_text(json.dumps(notebook))
    subprocess.run([BIN / "nbgrader", "generate_assignment", "attention"], cwd=folder, check=True, capture_output=True)
    release = (folder / "release/attention/attention.ipynb").read_text()
    hand_in(folder, [filled_in(release, one) for one in answers])


def hand_in(folder: Path, notebooks: list[str]) -> None:
    for number, text in enumerate(notebooks):
        place = folder / "submitted" / f"student-{number:03d}" / "attention"
        place.mkdir(parents=True)
        (place / "attention.ipynb").write_text(text)


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
    for name, exercise in with_staff_half("attention", ROOT).items():
        path = ROOT / "solutions/attention" / f"{name}.py"
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
