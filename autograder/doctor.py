"""The doctor: what this machine can do for grading, and whether the assignments are sound, found out by doing it."""

from __future__ import annotations

import multiprocessing
import platform
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Callable

import torch
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder import __version__
from autograder.assignment import with_staff_half
from autograder.box import BoxError, require_level, start_box
from autograder.build import build_findings
from autograder.canaries import CLAIMS
from autograder.course import Course
from autograder.newexercise import open_ends
from autograder.places import CourseError
from autograder.rehearsal import rehearse
from autograder.soundness import MISCONCEPTION, MUTANT, Soundness, examine

RIGHT_SEEDS, WRONG_SEEDS = 10, 3


def examine_machine(console: Console, course: Course) -> list[str]:
    """Start the best box there is and show which canaries it stopped; returns what is wrong, each with what helps."""
    console.print(f"kit {__version__}, Python {platform.python_version()}, torch {torch.__version__}, {platform.system()} {platform.machine()}")
    box = start_box(course.limits)
    try:
        table = Table("a submission that tries to …", f"at level {box.level}")
        for name, stopped in box.canaries.items():
            claimed = "stopped" if name in CLAIMS[box.level] else "stopped (not claimed at this level)"
            table.add_row(name, claimed if stopped else "[bold yellow]comes through[/]")
        console.print(table)
        console.print(escape(box.sentence))
        require_level(box, course.isolation.least)
    except BoxError as error:
        return [str(error)]
    finally:
        box.close()
    return []


def examine_assignments(root: Path, course: Course, names: list[str], *, only: list[str], seeds: int, workers: int,
                        progress: Callable[[], None]) -> tuple[list[Soundness], list[str]]:
    """Examine every exercise of the named assignments (of some the `only` ones), their built files, and a rehearsal of each.

    seeds: how many decks the right answers meet, the course's own among them. Returns what was found out about each exercise, and all
    findings: each names a file and the command or change that mends it.
    """
    exercises = _chosen(root, names, only)
    right = [course.seed, *range(1, seeds)]
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        examined = [pool.submit(examine, root, *one, right_seeds=right, wrong_seeds=right[:WRONG_SEEDS]) for one in exercises]
        rehearsed = [pool.submit(_whole, root, course, name, bool(only)) for name in names]
        for _ in as_completed([*rehearsed, *examined]):
            progress()
    sound = [future.result() for future in examined]
    found = [finding for future in rehearsed for finding in future.result()] + [finding for one in sound for finding in one.findings]
    return sound, [finding.replace(f"{root}/", "") for finding in found]


def _chosen(root: Path, names: list[str], only: list[str]) -> list[tuple[str, str]]:
    """Assignment and exercise, of all exercises or those that are named."""
    known = [(name, exercise) for name in names for exercise in with_staff_half(name, root)]
    unknown = set(only) - {exercise for _, exercise in known}
    if unknown:
        raise CourseError(f"--exercise {min(unknown)}: there is no such exercise in {', '.join(names)}; there are {', '.join(e for _, e in known)}")
    return [one for one in known if not only or one[1] in only]


def _whole(root: Path, course: Course, name: str, in_part: bool) -> list[str]:
    """What is wrong with an assignment as a whole; it is rehearsed unless only part of it is looked at."""
    stale = build_findings(root, name) + open_ends(root, root / "source" / name / f"{name}.py")
    try:
        return stale if in_part else stale + rehearse(root, course, name)
    except CourseError as error:
        return [*stale, str(error)]


def steps(root: Path, names: list[str], only: list[str]) -> int:
    """How often `progress` of `examine_assignments` will be called."""
    return len(_chosen(root, names, only)) + len(names)


def show_soundness(console: Console, sound: list[Soundness]) -> None:
    """One row an exercise: what is caught, by public checks alone too, and the margins."""
    table = Table(title="what the checks catch (public checks alone)", title_justify="left")
    for name in ("exercise", "known wrong answers", "mutants", "equivalent", "right answers", "largest error of a right one", "findings of its own"):
        table.add_column(name, justify="left" if name == "exercise" else "right")
    for one in sound:
        table.add_row(f"{one.assignment} {one.exercise}", _caught(one, MISCONCEPTION), _caught(one, MUTANT), str(len(one.equivalents)), str(len(one.right)),
                      f"{max(one.right.values(), default=0.0):.3f} of the tolerance", str(len(one.findings)))
    console.print(table)
    for kind, what in ((MISCONCEPTION, "known wrong answers"), (MUTANT, "mutants")):
        (caught, total), (public, _) = (totals(sound, kind, public_only=only) for only in (False, True))
        console.print(f"{caught} of {total} {what} are caught, {public} ({public / max(1, total):.1%}) by public checks alone")


def totals(sound: list[Soundness], kind: str, *, public_only: bool) -> tuple[int, int]:
    """How many wrong answers of a kind are caught over all exercises, and of how many."""
    shares = [one.share(kind, public_only=public_only) for one in sound]
    return sum(caught for caught, _ in shares), sum(total for _, total in shares)


def _caught(one: Soundness, kind: str) -> str:
    (caught, total), (public, _) = (one.share(kind, public_only=only) for only in (False, True))
    return f"{caught} of {total} ({public})"
