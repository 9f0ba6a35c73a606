"""nbgrader's formgrader on a course: JupyterLab started in the course's folder, opened where a TA gives points and comments."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Annotated, Optional

import typer

from autograder.places import CourseError

EXTENSIONS = ("nbgrader.server_extensions.formgrader", "nbgrader.server_extensions.validate_assignment")


def formgrader(port: Annotated[Optional[int], typer.Option(metavar="N", help="Another port than 8888.")] = None,
               browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser there.")] = True) -> None:
    """Open nbgrader's formgrader on the course of this folder: scores, panels, points and comments for written answers.

    It ends with Control-C. Example: autograder formgrader
    """
    from autograder.course import find_root, read_course
    root = find_root()
    if root is None:
        raise CourseError("no course.yaml in this folder or above it; run this in the course's folder")
    read_course(root / "course.yaml")  # an error in it is told here, not in the server's log
    os.chdir(root)  # nbgrader reads nbgrader_config.py there
    command = server_command(root, port=port, browser=browser)
    os.execve(command[0], command, server_environment())


def server_command(root: Path, *, port: int | None, browser: bool, start: str = "/formgrader") -> list[str]:
    """The command that serves `root` on this machine only, with nbgrader's extensions whatever the user's own settings say."""
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}", f"--LabApp.default_url={start}",
               "--ServerApp.ip=127.0.0.1", *(f"--ServerApp.jpserver_extensions={name}=True" for name in EXTENSIONS)]
    command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"] if port else []
    command += [] if browser else ["--no-browser"]
    return command + (["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])


def server_environment() -> dict[str, str]:
    """This environment, in which nbgrader finds the programs that were installed beside it (it calls alembic to make a gradebook)."""
    return os.environ | {"PATH": sysconfig.get_path("scripts") + os.pathsep + os.environ.get("PATH", "")}
