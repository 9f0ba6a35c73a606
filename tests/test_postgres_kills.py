"""PostgreSQL is killed while a class is graded, at random moments, and started again: the rows are those of an undisturbed run."""

from __future__ import annotations

import os
import random
import signal
import time

from classes import finish, grade, lay_out, start
from postgres import filled, rows, server  # noqa: F401 - a fixture

KILLS = 10
STUDENTS = 12


def test_kills_of_the_server_and_of_its_backends_change_nothing(server, tmp_path):
    folder = lay_out(tmp_path / "undisturbed", students=STUDENTS)
    grade(folder)
    expected = rows(f"sqlite:///{folder}/gradebook.db")
    draw, killed, runs = random.Random(20261130), {"server": 0, "backend": 0}, 0
    while sum(killed.values()) < KILLS:
        runs += 1
        url = server.database(f"kills_{runs}")
        folder = lay_out(tmp_path / f"run-{runs}", students=STUDENTS, db_url=url)
        process = start(folder, "grade", "attention", "--workers", "1", "--no-feedback")
        while not (folder / "autograded").exists() and process.poll() is None:
            time.sleep(draw.random() * 0.2)
        while process.poll() is None:
            if sum(killed.values()) < KILLS:
                kill_something(server, draw, killed)
            time.sleep(draw.random() * 0.3)
        said = finish(process)
        until_it_answers(server)
        assert "Traceback" not in said
        assert rows(filled(url)) == expected and not list(folder.glob(".autograder/graded/attention/*.pending"))
        assert len(list(folder.glob(".autograder/graded/attention/*.json"))) == STUDENTS
        assert f"{STUDENTS} as they were graded before, 0 graded now" in grade(folder)
    assert killed["server"] >= 2 and killed["backend"] >= 2, killed


def kill_something(server, draw: random.Random, killed: dict[str, int]) -> None:
    """SIGKILL of the server itself, or of one that serves a client (upon which PostgreSQL ends all the others and recovers)."""
    until_it_answers(server)
    backends = some_backends(server) if draw.random() < 0.6 else []
    if backends:
        killed["backend"] += 1
        try:
            os.kill(backends[0], signal.SIGKILL)
        except ProcessLookupError:
            return
        until_it_answers(server)
    else:
        killed["server"] += 1
        server.stop(signal.SIGKILL)
        time.sleep(draw.random() * 0.3)
        server.start()


def some_backends(server) -> list[int]:
    """Who serves a client: there is one for a moment after each submission."""
    for _ in range(100):
        if found := server.backends():
            return found
        time.sleep(0.01)
    return []


def until_it_answers(server) -> None:
    for _ in range(500):
        try:
            server.connect("postgres").close()
            return
        except Exception:  # noqa: BLE001 - recovering
            time.sleep(0.02)
    raise AssertionError("PostgreSQL did not recover")
