"""The table of all attacks and what came of them in each arm: written into README.md by running them (``make attacks``)."""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from arms import Arms, arms
from attempt import ARMS, Attempt, attempts

README = Path(__file__).parent / "README.md"
CATALOGUE = tuple(
    "A01 A02 A03 A04 A05 A06 A07 A08 A10 A11 A12 A16 A18 A19 A21 A23 A24 A28 B01 B02 B05 B06 B08 B09 B10 B11 B13 B15 B16 B17 B19 B20 B22 "
    "B24 C01 C02 C03 C04 C05 C06 C07 C09 C10 C11 C15 C17 C19 C22 C24 C25 D01 D03 D04 D05 D07 D09 D10 D12 D13 D14 D15 D17 D19 D20 D22 D23 "
    "D24 D27 D29 E01 E03 E04 E05 E06 E07 E09 E10 E11 E13 E16 E17 E18 E20 E22 E23 E25 E26".split())
INTRODUCTION = """\
# Attacks

Each file in `attempts/` is one attack, named by what it tries: the student's own code, under a sentence. Every attack is run three times,
and the table below is what came of it. `make attacks` runs them all and writes this file; the tests fail when it says anything else.

- **in process**, the control: `naive.py`, a grader as many are, with the student's code, the checks and the reference in one process. The
  cheat has to work there, or the other columns prove nothing.
- **boundary only**: this kit at level `none`. The student's code has a process of its own and the verdict is outside; nothing keeps that
  process from the grader's files, the network, or other processes of its user.
- **full sandbox**: this kit at level `isolated`.

What an attack wants: **marks** that it does not deserve, a **secret** (a random token lies in the solutions, the hidden tests, the course's
settings and history, in the environment, the arguments and the memory of processes; it may be in no byte that comes from the student's
process), hidden **inputs** in what a person is shown, to **stop** the batch, **resources** beyond the limits, **markup** in a page that a
TA opens, an **escape** to anything else. A **flag** is for the function that an exercise forbids: a person is shown the line. After each
attack the same grader gives an honest notebook full marks.

- *works, not claimed*: it worked, and this arm does not say that it stops it. At level `none` the operating system's walls are missing: a
  submission that is told where the solutions lie can read them, and even hand them in. That is why `course.yaml` asks for more.
- *not tried*: the reason stands under the table. Some attacks would harm the machine where nothing stops them.

The ids are those of the catalogue that the attacks were collected from.

To add one, write a file like the others (`attempt.py` says what it may hold), and run `make attacks`.
"""


def rows(results: dict[tuple[str, str], str]) -> list[str]:
    """The table's lines, and under it why some attacks were not tried everywhere."""
    lines = ["| attack | what it tries | wants | ids | " + " | ".join(ARMS) + " |", "|---" * (4 + len(ARMS)) + "|"]
    reasons = []
    for attempt in attempts():
        told = [results[key(attempt), arm] for arm in ARMS]
        link = f"[{key(attempt)}](attempts/{key(attempt)}.py)"
        lines.append(f"| {link} | {attempt.sentence} | {attempt.wants} | {' '.join(attempt.ids)} | " + " | ".join(told) + " |")
        if attempt.because:
            missing = ", ".join(arm for arm in ARMS if arm not in attempt.arms)
            reasons.append(f"- `{attempt.name}`, {missing}: {attempt.because}.")
    return [*lines, "", "Not tried:", "", *reasons]


def key(attempt: Attempt) -> str:
    """How the table calls an attack."""
    return f"{attempt.group}/{attempt.name}"


def text(results: dict[tuple[str, str], str]) -> str:
    """README.md."""
    counts = ["| arm | " + " | ".join(sorted(set(results.values()))) + " |", "|---" * (1 + len(set(results.values()))) + "|"]
    for arm in ARMS:
        of_arm = Counter(result for (_, one), result in results.items() if one == arm)
        counts.append(f"| {arm} | " + " | ".join(str(of_arm[result]) for result in sorted(set(results.values()))) + " |")
    head = f"{len(attempts())} attacks, {len(CATALOGUE)} ids of the catalogue:"
    return "\n".join([INTRODUCTION, head, "", *counts, "", *rows(results), ""])


def committed() -> dict[tuple[str, str], str]:
    """The results that README.md holds, by attack and arm."""
    found = {}
    for line in README.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ["):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            found |= {(cells[0][1:].partition("]")[0], arm): result for arm, result in zip(ARMS, cells[-len(ARMS):], strict=True)}
    return found


def run_some(names: list[str]) -> dict[tuple[str, str], str]:
    """Run these attacks in every arm; a line on stderr for each attack."""
    results = {}
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder, arms(Path(folder)) as made:
        for attempt in attempts():
            if key(attempt) in names:
                results |= {(key(attempt), arm): result_of(made, attempt, arm) for arm in ARMS}
                print(key(attempt), *(results[key(attempt), arm] for arm in ARMS), sep="  ", file=sys.stderr, flush=True)
    return results


def result_of(made: Arms, attempt: Attempt, arm: str) -> str:
    """The result of an attack in an arm; where it harmed more than that, what."""
    try:
        return made.run(attempt, arm)
    except AssertionError as error:
        return f"harm: {error}"


def main() -> None:
    """Run everything, a part of it on each processor, and write README.md."""
    os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    names, results = [key(attempt) for attempt in attempts()], {}
    count = os.cpu_count() or 1
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        for part in pool.map(run_some, [names[number::count] for number in range(count)]):
            results |= part
    README.write_text(text(results), encoding="utf-8")


if __name__ == "__main__":
    main()
