"""A PostgreSQL server of the tests' own, on loopback, from the system's binaries; and the rows of a gradebook, wherever it is kept."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from autograder.imports import nbgrader_api

PASSWORD = "o'er the/hills@far:away?"  # nothing in it may be taken for a part of the address
_FAST = "fsync=off\nfull_page_writes=off\nshared_buffers=16MB\nmax_connections=40\nautovacuum=off\nmax_wal_size=256MB\n"


def binaries() -> Path | None:
    """The folder of initdb and postgres, or None."""
    found = [Path(shutil.which("initdb") or "/nowhere/initdb"), *Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return next((path.resolve().parent for path in found if path.exists() and (path.resolve().parent / "postgres").exists()), None)


class Server:
    """A server in a folder of its own; PostgreSQL refuses to run as root, so then another user owns it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="autograder-postgres-"))
        self.data, self.bin = self.folder / "data", binaries()
        self.user = next(name for name in ("postgres", "nobody") if _is_user(name)) if os.getuid() == 0 else None
        self.folder.chmod(0o755)
        (self.folder / "password").write_text(PASSWORD)
        if self.user:
            entry = pwd.getpwnam(self.user)
            for path in (self.folder, self.folder / "password"):
                os.chown(path, entry.pw_uid, entry.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._run("initdb", "-D", str(self.data), "-N", "-U", "staff", "-A", "scram-sha-256", f"--pwfile={self.folder / 'password'}", "-E", "UTF8", "--locale=C")
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(f"{_FAST}listen_addresses='127.0.0.1'\nport={self.port}\nunix_socket_directories=''\n")
        self.process: subprocess.Popen | None = None
        self.start()

    def _run(self, name: str, *arguments: str) -> None:
        done = subprocess.run([str(self.bin / name), *arguments], user=self.user, extra_groups=[] if self.user else None, cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        """Start it and wait until it answers."""
        for _ in range(100):
            self.process = subprocess.Popen([str(self.bin / "postgres"), "-D", str(self.data)], user=self.user, extra_groups=[] if self.user else None,
                                            cwd="/", stdout=subprocess.DEVNULL, stderr=open(self.folder / "log", "ab"))
            while self.process.poll() is None:
                with contextlib.suppress(Exception), self.connect("postgres"):
                    return
                time.sleep(0.02)
            time.sleep(0.05)  # those of the killed one are still ending
        raise AssertionError((self.folder / "log").read_text()[-3000:])

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT is an orderly stop, SIGKILL a crash."""
        self.process.send_signal(how)
        self.process.wait(timeout=60)

    def remove(self) -> None:
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def connect(self, database: str):
        import psycopg
        return psycopg.connect(host="127.0.0.1", port=self.port, user="staff", password=PASSWORD, dbname=database, autocommit=True, connect_timeout=10)

    def backends(self) -> list[int]:
        """The processes that serve the clients."""
        with self.connect("postgres") as connection:
            return [pid for pid, in connection.execute("select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()")]

    def database(self, name: str) -> str:
        """A new database; returns its address for course.yaml, with the password left to the environment's PGSECRET."""
        with self.connect("postgres") as connection:
            connection.execute(f"create database {name}")
        return f"postgresql://staff:${{PGSECRET}}@127.0.0.1:{self.port}/{name}"


def _is_user(name: str) -> bool:
    with contextlib.suppress(KeyError):
        return bool(pwd.getpwnam(name))
    return False


@pytest.fixture(scope="session")
def server():
    """One server for each process of tests that asks for it."""
    pytest.importorskip("psycopg")
    if binaries() is None:
        pytest.skip("there are no binaries of PostgreSQL; install them with: apt-get install postgresql")
    made = Server()
    os.environ["PGSECRET"] = PASSWORD
    yield made
    made.remove()


def filled(url: str) -> str:
    """An address with the password put in, as SQLAlchemy wants it."""
    return url.replace("${PGSECRET}", quote(PASSWORD, safe="")).replace("postgresql:", "postgresql+psycopg:")


def rows(url: str) -> dict[str, list]:
    """All that a gradebook holds, without the ids that are drawn: by table, sorted."""
    from sqlalchemy import create_engine, select, text
    api = nbgrader_api()
    assignment, notebook, cell, submission, submitted, grade, comment, source = (kind.__table__ for kind in (
        api.Assignment, api.Notebook, api.BaseCell, api.SubmittedAssignment, api.SubmittedNotebook, api.Grade, api.Comment, api.SourceCell))
    a, s, c = assignment.c, submission.c, cell.c
    cells = cell.join(notebook, c.notebook_id == notebook.c.id).join(assignment, a.id == notebook.c.assignment_id)
    mine = submission.join(assignment, a.id == s.assignment_id).join(submitted, submitted.c.assignment_id == s.id)
    asked = {
        "course": select(api.Course.__table__.c.id).where(api.Course.__table__.c.id != "default_course"),  # which nbgrader's own plug-ins make
        "student": select(api.Student.__table__), "assignment": select(a.name, a.duedate, a.course_id),
        "notebook": select(a.name, notebook.c.name, notebook.c.kernelspec).select_from(assignment.join(notebook)), "version": text("select * from alembic_version"),
        "source": select(a.name, source.c.name, source.c.cell_type, source.c.locked, source.c.source, source.c.checksum).select_from(
            source.join(notebook).join(assignment)),
        "cell": select(a.name, c.name, c.type).select_from(cells),
        "points": select(a.name, c.name, api.GradeCell.__table__.c.max_score, api.GradeCell.__table__.c.cell_type).select_from(
            cells.join(api.GradeCell.__table__, api.GradeCell.__table__.c.id == c.id)),
        "submission": select(a.name, s.student_id, s.timestamp, s.extension, submitted.c.flagged, submitted.c.late_submission_penalty).select_from(mine),
        "grade": select(a.name, s.student_id, c.name, grade.c.auto_score, grade.c.manual_score, grade.c.extra_credit, grade.c.needs_manual_grade).select_from(
            mine.join(grade, grade.c.notebook_id == submitted.c.id).join(cell, c.id == grade.c.cell_id)),
        "comment": select(a.name, s.student_id, c.name, comment.c.auto_comment, comment.c.manual_comment).select_from(
            mine.join(comment, comment.c.notebook_id == submitted.c.id).join(cell, c.id == comment.c.cell_id))}
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return {name: sorted(map(tuple, connection.execute(query).all()), key=repr) for name, query in asked.items()}
    finally:
        engine.dispose()
