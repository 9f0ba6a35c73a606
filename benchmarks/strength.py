"""How strong the checks are: the same wrong answers through torch-judge's tests, through the usual checks, and through ours.

The answers are those of tests/catalogue: mistakes met in public code, written anew, and right but unusual answers. Prints a table
in Markdown. The first run installs torch-judge in an environment of its own under build/.

    python benchmarks/strength.py [--details]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import torch  # noqa: E402
from catalogue import ASSIGNMENTS, Entry, mistakes, variants  # noqa: E402
from torch_judge_tests import NOT_ASKED, failed_tests, make_environment  # noqa: E402
from weak_checks import WEAK_CHECKS, passes  # noqa: E402

from autograder.answers import reference_answers  # noqa: E402
from autograder.assignment import with_staff_half# noqa: E402
from autograder.case import Case, running  # noqa: E402
from autograder.course import read_course  # noqa: E402
from autograder.exercise import PUBLIC, Exercise  # noqa: E402
from autograder.explore import draw_cases, seed_of  # noqa: E402
from autograder.student import local  # noqa: E402
from autograder.untrusted.modules import in_float64  # noqa: E402


@dataclass(frozen=True)
class Tried:
    """One answer, and which graders fail it; None where a grader has no such task."""

    entry: Entry
    by_torch_judge: bool | None
    by_usual: bool
    by_public: bool
    by_ours: bool


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--details", action="store_true", help="name the mistakes that each grader lets through")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    tried = try_all([*mistakes().values(), *variants().values()])
    print(table(tried))
    print()
    if chosen.details:
        print(details(tried))


def try_all(entries: list[Entry]) -> list[Tried]:
    """Put every answer to every grader."""
    python = make_environment(ROOT / "build" / "torch-judge")
    exercises = {name: e for a in ASSIGNMENTS for name, e in with_staff_half(a, ROOT).items()}
    hold_references(python, exercises)
    entries = sorted(entries, key=lambda entry: list(exercises).index(entry.exercise))
    judged = failed_tests(python, [(entry.exercise, entry.source) for entry in entries])
    seed, tried = read_course(ROOT / "course.yaml").seed, []
    for entry, theirs in zip(entries, judged):
        ours = failed_checks(exercises[entry.exercise], entry, seed)
        with in_float64():
            usual = not passes(entry.exercise, entry.function)
        asked = None if theirs is None or entry.name in NOT_ASKED else bool(theirs)
        tried.append(Tried(entry, asked, usual, PUBLIC in ours.values(), bool(ours)))
    return tried


def hold_references(python: Path, exercises: dict[str, Exercise]) -> None:
    """The references pass everywhere; if one does not, an adapter or a usual check is wrong, and nothing that follows means anything."""
    sources = [pair for a in ASSIGNMENTS for pair in reference_answers(ROOT, a).items()]
    wrong = {name: failed for (name, _), failed in zip(sources, failed_tests(python, sources)) if failed}
    with in_float64():
        wrong |= {name: "the usual checks" for name in WEAK_CHECKS if not passes(name, exercises[name].reference.function)}
    if wrong:
        raise SystemExit(f"the references fail: {wrong}; mend an adapter in benchmarks/torch_judge_tests.py or a check in weak_checks.py")


def failed_checks(exercise: Exercise, entry: Entry, seed: int) -> dict[str, str]:
    """Our checks that an answer fails, but for those of a convention that it is free to lose, with their visibility."""
    failed, student = {}, local(entry.function, exercise)
    for check in exercise.checks:
        if check.name in (entry.lost or ()):
            continue
        for drawn in draw_cases(check, seed=seed_of(seed, exercise.assignment, exercise.name, check.name)):
            with running(Case()):
                try:
                    check.body(student, **drawn)
                except Exception:  # noqa: BLE001 - whatever a wrong answer raises
                    failed[check.name] = check.visibility
                    break
    return failed


_GRADERS = ("by_torch_judge", "by_usual", "by_public", "by_ours")


def table(tried: list[Tried]) -> str:
    """The table: for each exercise, how many mistakes each grader catches, and how many right answers it fails."""
    lines = ["| exercise | mistakes | torch-judge | sums and invariances | ours, public only | ours | right answers | wrongly failed by "
             "torch-judge | by sums and invariances | by ours |", "|---|" + "---:|" * 9]
    exercises = dict.fromkeys(one.entry.exercise for one in tried)
    lines += [_row(name, [one for one in tried if one.entry.exercise == name]) for name in exercises]
    lines.append(_row("**what torch-judge asks for**", [one for one in tried if one.by_torch_judge is not None]))
    lines.append(_row("**all**", tried))
    return "\n".join(lines)


def _row(name: str, tried: list[Tried]) -> str:
    wrong = [one for one in tried if one.entry.lost is None]
    right = [one for one in tried if one.entry.lost is not None]
    cells = [str(len(wrong)), *(_share(wrong, grader) for grader in _GRADERS), str(len(right))]
    cells += [_count(right, grader) for grader in ("by_torch_judge", "by_usual", "by_ours")]
    return f"| {name} | " + " | ".join(cells) + " |"


def _count(tried: list[Tried], grader: str) -> str:
    asked = [getattr(one, grader) for one in tried if getattr(one, grader) is not None]
    return f"{sum(asked)} of {len(asked)}" if asked else ""


def _share(tried: list[Tried], grader: str) -> str:
    asked = [getattr(one, grader) for one in tried if getattr(one, grader) is not None]
    return f"{_count(tried, grader)} ({sum(asked) / len(asked):.0%})" if asked else ""


def details(tried: list[Tried]) -> str:
    """The mistakes that each grader lets through, and the right answers that it fails, by number."""
    lines = []
    for grader in _GRADERS:
        let_through = [one.entry.name for one in tried if one.entry.lost is None and getattr(one, grader) is False]
        wronged = [one.entry.name for one in tried if one.entry.lost is not None and getattr(one, grader)]
        lines.append(f"{grader}: lets through {', '.join(let_through) or 'none'}; fails {', '.join(wronged) or 'no right answer'}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
