"""The catalogue on many seeds: no unusual right answer is wronged and no mistake gets through, whatever the deck happens to hold.

    python benchmarks/seeds.py --variants 300 --mistakes 100    # half an hour of two cores

Prints one line an exercise, and every complaint with its seed; exit status 1 when there is one.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from catalogue import Entry, mistakes, variants  # noqa: E402


def entries() -> dict[tuple[str, str], tuple[list[Entry], list[Entry]]]:
    """By assignment and exercise, the right answers and the mistakes."""
    found: dict[tuple[str, str], tuple[list[Entry], list[Entry]]] = defaultdict(lambda: ([], []))
    for place, group in enumerate((variants(), mistakes())):
        for entry in group.values():
            found[entry.assignment, entry.exercise][place].append(entry)
    return found


def examine(assignment: str, name: str, right: list[Entry], wrong: list[Entry], seeds: tuple[int, int]) -> list[str]:
    """Complaints about one exercise: right answers on the first so many seeds, mistakes on the second."""
    import torch
    torch.set_num_threads(1)
    from autograder.assignment import with_staff_half
    from autograder.deck import draw_exercise
    from autograder.kills import kills
    exercises = with_staff_half(assignment, ROOT)
    functions = {entry.name: _defined(entry, exercises) for entry in (*right, *wrong)}
    complaints = []
    for seed in range(1, max(seeds[0] if right else 0, seeds[1] if wrong else 0) + 1):
        deck = draw_exercise(exercises[name], seed=seed)
        for entry in right if seed <= seeds[0] else ():
            lost = sorted(kill.check.name for kill in kills(deck, functions[entry.name]))
            if lost != sorted(entry.lost):
                complaints.append(f"{assignment} {name}: the right answer {entry.name} loses {lost} on seed {seed}, not {sorted(entry.lost)}")
        for entry in wrong if seed <= seeds[1] else ():
            if next(iter(kills(deck, functions[entry.name])), None) is None:
                complaints.append(f"{assignment} {name}: the mistake {entry.name} ({entry.what}) passes every check on seed {seed}")
    return complaints


def _defined(entry: Entry, exercises: dict):
    """The entry's function or class, defined where what is given and the references of the other exercises are, as in a notebook."""
    import math

    import numpy
    import torch
    from autograder.places import given_file
    space = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "math": math, "np": numpy}
    space |= {name: exercise.reference.function for name, exercise in exercises.items()}
    given = given_file(entry.assignment)
    exec(compile(given.read_text(encoding="utf-8") if given.is_file() else "", given.name, "exec"), space)
    exec(compile(entry.source, entry.name, "exec"), space)
    return space[entry.exercise]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--variants", type=int, default=300, metavar="N", help="seeds for right answers")
    options.add_argument("--mistakes", type=int, default=100, metavar="N", help="seeds for mistakes")
    chosen = options.parse_args()
    seeds, complaints = (chosen.variants, chosen.mistakes), []
    with ProcessPoolExecutor() as pool:
        turns = {pool.submit(examine, *key, *both, seeds): (key, both) for key, both in entries().items()}
        for turn in as_completed(turns):
            (assignment, name), (right, wrong) = turns[turn]
            found = turn.result()
            complaints += found
            print(f"{assignment} {name}: {len(right)} right answers, {len(wrong)} mistakes, {len(found)} complaints", flush=True)
    print("\n".join(complaints) or f"nothing to complain of: {sum(len(both[0]) for both in entries().values())} right answers on {seeds[0]} seeds, "
          f"{sum(len(both[1]) for both in entries().values())} mistakes on {seeds[1]}")
    raise SystemExit(bool(complaints))


if __name__ == "__main__":
    main()
