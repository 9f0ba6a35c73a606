"""The doctor: what this machine can do for grading, found out by doing it."""

from __future__ import annotations

import platform

import torch
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder import __version__
from autograder.box import BoxError, require_level, start_box
from autograder.canaries import CLAIMS
from autograder.course import Course


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
