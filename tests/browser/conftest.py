"""A browser for the session, and a small course graded by the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from driving import chromium, serving
from support import ROOT

from autograder.demo import make_demo
from autograder.formgrader import server_command

CHOSEN = ("reference", "without-the-scale", "one-global-maximum", "agrees-with-everything")
HOSTILE = "99-hostile"
DRAWN = """def simple_attention(X):
    X += 1
    alpha = torch.softmax(X @ X.mT, dim=-1)
    return alpha @ X, alpha
"""  # it is shown on a matrix of some size, and so with heat maps


@pytest.fixture(scope="session")
def driver():
    with chromium() as made:
        yield made


@pytest.fixture(scope="session")
def course(driver, tmp_path_factory) -> Path:
    """A course with a few of the demo class and one hostile notebook, graded. (A machine without a browser skips before that.)"""
    from test_page import hostile
    root = tmp_path_factory.mktemp("course")
    make_demo(ROOT, root)
    for folder in (root / "submitted").iterdir():
        if folder.name.partition("-")[2] not in CHOSEN:
            shutil.rmtree(folder)
        for other in folder.glob("*"):
            if other.name != "attention":
                shutil.rmtree(other)
    mistaken = next((root / "submitted").glob("*-one-global-maximum"))
    notebook = json.loads((mistaken / "attention/attention.ipynb").read_text())
    simple = next(cell for cell in notebook["cells"] if cell["id"] == "simple_attention")
    simple["source"] = DRAWN
    (mistaken / "attention/attention.ipynb").write_text(json.dumps(notebook))
    hostile(notebook)
    (root / "submitted" / HOSTILE / "attention").mkdir(parents=True)
    (root / "submitted" / HOSTILE / "attention/attention.ipynb").write_text(json.dumps(notebook))
    command = [sys.executable, "-m", "autograder.cli", "grade", "attention", "--least-isolation", "none", "--workers", "1"]
    subprocess.run(command, cwd=root, check=True, timeout=900, env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"})
    return root


@pytest.fixture(scope="session")
def formgrader(course, tmp_path_factory):
    command = [sys.executable, "-m", "autograder.cli", "formgrader", "--no-browser", "--port"]
    with serving(lambda port: [*command, str(port)], course, tmp_path_factory.mktemp("formgrader") / "log") as server:
        yield server


@pytest.fixture(scope="session")
def desk(driver, tmp_path_factory):
    """A student's folder, empty, and a JupyterLab that serves it."""
    folder = tmp_path_factory.mktemp("desk")

    def command(port: int) -> list[str]:
        return server_command(folder, port=port, browser=False, start="/lab") + ["--LabApp.expose_app_in_browser=True"]
    with serving(command, folder, tmp_path_factory.mktemp("lab") / "log") as server:
        yield folder, server
