"""The doctor tells what this machine can do, and says so when it is less than the course asks for."""

from __future__ import annotations

import shutil

from support import ROOT
from typer.testing import CliRunner

from autograder import launch
from autograder.cli import app


def test_the_machine_is_examined_by_doing(tmp_path, monkeypatch):
    shutil.copyfile(ROOT / "course.yaml", tmp_path / "course.yaml")
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, ["doctor"])
    assert "isolation level" in shown.output and "run a program" in shown.output and shown.exit_code in (0, 1)


def test_too_weak_a_machine_is_said_with_what_helps(tmp_path, monkeypatch):
    (tmp_path / "course.yaml").write_text((ROOT / "course.yaml").read_text().replace("least: confined", "least: isolated"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launch, "find_bubblewrap", lambda: None)
    shown = CliRunner().invoke(app, ["doctor"])
    assert shown.exit_code == 1 and "bubblewrap (bwrap) is not installed" in shown.output and "apt-get install bubblewrap" in shown.output
