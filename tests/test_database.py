"""SQLite and PostgreSQL as gradebooks: the same rows, several who write at once, and databases that are locked or away."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import pytest
from classes import ENVIRONMENT, finish, grade, lay_out, start
from postgres import PASSWORD, filled, rows, server  # noqa: F401 - a fixture
from support import ROOT

from autograder.places import CourseError
from autograder.course import read_course
from autograder.database import Away, engine_of, once, patiently, shown
from autograder.gradebook import open_gradebook


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A small class, graded into SQLite."""
    folder = lay_out(tmp_path_factory.mktemp("graded"))
    grade(folder, "--json", "results.json")
    return folder


def sqlite_of(folder) -> str:
    return f"sqlite:///{folder}/gradebook.db"


def test_postgresql_holds_the_same_rows_through_every_door(graded, server, tmp_path):
    url = server.database("doors")
    folder = lay_out(tmp_path / "course", db_url=url)
    grade(folder, "--feedback")
    assert rows(filled(url)) == rows(sqlite_of(graded))
    assert len(list(folder.glob("feedback/*/attention/attention.html"))) == 6
    assert "6 as they were graded before, 0 graded now" in grade(folder)
    by_nbgrader = server.database("nbgrader")
    text = (folder / "course.yaml").read_text().replace("/doors", "/nbgrader")
    (folder / "course.yaml").write_text(text)
    shutil.rmtree(folder / "autograded")
    nbgrader = [sys.executable, "-m", "nbgrader"]
    environment = ENVIRONMENT | {"PGSECRET": PASSWORD, "PATH": f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"}
    for command in (["autograde", "attention"], ["generate_feedback", "attention", "--force"], ["export"]):
        done = subprocess.run([*nbgrader, *command], cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]
    assert rows(filled(by_nbgrader)) == rows(sqlite_of(graded))
    assert (folder / "grades.csv").read_text().count("\n") == 7


RECORD = """
import sys, threading
from pathlib import Path
from autograder.course import read_course
from autograder.blueprint import read_blueprint
from autograder.gradebook import ensure_assignment, open_gradebook, record, up_to_date
from autograder.results import Results
root, course = Path.cwd(), read_course(Path("course.yaml"))
blueprint = read_blueprint(root, "attention")
results = Results.model_validate_json(Path("results.json").read_text())
print("ready", flush=True)
sys.stdin.readline()
with open_gradebook(course) as gradebook:
    if not up_to_date(gradebook, blueprint, course):
        ensure_assignment(gradebook, blueprint, course)
    for one in results.submissions:
        record(gradebook, blueprint, one, None, isolation="isolation level none")
"""


def together(folder, count: int) -> None:
    """So many processes open, make and fill the gradebook at the same moment."""
    processes = [subprocess.Popen([sys.executable, "-c", RECORD], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=ENVIRONMENT | {"PGSECRET": PASSWORD}) for _ in range(count)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_new_gradebook_is_made_and_filled_by_several_at_once(graded, request, tmp_path, kind):
    """Nobody fails, nothing is doubled or lost, whoever makes the tables."""
    url = "sqlite:///gradebook.db" if kind == "sqlite" else request.getfixturevalue("server").database("together")
    shutil.copytree(graded / "release", tmp_path / "release")
    shutil.copyfile(graded / "results.json", tmp_path / "results.json")
    (tmp_path / "course.yaml").write_text((graded / "course.yaml").read_text().replace("db_url: sqlite:///gradebook.db", f"db_url: {url}"))
    together(tmp_path, 4)
    found = rows(sqlite_of(tmp_path) if kind == "sqlite" else filled(url))
    expected = rows(sqlite_of(graded))
    assert {name: found[name] for name in found if name not in ("comment", "submission")} == {
        name: expected[name] for name in expected if name not in ("comment", "submission")}
    assert len(found["submission"]) == 6 and len(found["comment"]) == len(expected["comment"])


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_tas_who_grade_at_once_lose_nothing(request, tmp_path, kind):
    """Two grade the same assignment and one another, from the first moment on; the rows are those of one after the other."""
    urls = {name: "sqlite:///gradebook.db" if kind == "sqlite" else request.getfixturevalue("server").database(f"tas_{name}") for name in ("once", "apart")}
    once_, apart = (lay_out(tmp_path / name, students=3, assignments=("attention", "layernorm"), db_url=url) for name, url in urls.items())
    running = [start(once_, "grade", name, "--workers", "1") for name in ("attention", "attention", "layernorm")]
    for process in running:
        assert "Traceback" not in finish(process)
    for name in ("attention", "layernorm"):
        grade(apart, assignment=name)
    found, expected = (rows(sqlite_of(folder) if kind == "sqlite" else filled(url)) for folder, url in zip((once_, apart), urls.values(), strict=True))
    assert found == expected
    assert len(list(once_.glob("feedback/*/*/*.html"))) == 6
    assert "3 as they were graded before, 0 graded now" in grade(once_)


def wait_for(condition, seconds: float = 180) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def reading(process) -> list[str]:
    """The lines that a running process says, as they come."""
    lines: list[str] = []
    threading.Thread(target=lambda: lines.extend(process.stdout), daemon=True).start()
    return lines


def test_a_locked_gradebook_is_waited_for(graded, tmp_path):
    folder = lay_out(tmp_path / "course")
    grade(folder, "--student", "01-reference")
    with sqlite3.connect(folder / "gradebook.db", isolation_level=None) as other:
        other.execute("begin immediate")
        process = start(folder, "grade", "attention", "--workers", "1", "--no-feedback")
        lines = reading(process)
        wait_for(lambda: any("waiting for the gradebook" in line and "locked" in line for line in lines))
        assert process.poll() is None
        other.execute("rollback")
    assert process.wait(timeout=120) == 0
    assert rows(sqlite_of(folder)) == rows(sqlite_of(graded))


def noted(folder, kind: str) -> int:
    return len(list((folder / ".autograder/graded/attention").glob(f"*.{kind}")))


def test_a_gradebook_locked_for_too_long_ends_the_run_and_nothing_is_graded_twice(graded, tmp_path):
    """The lock comes when the first is graded. What is graded meanwhile is kept; the next run only writes it."""
    folder = lay_out(tmp_path / "course", wait=1)
    process = start(folder, "grade", "attention", "--workers", "1", "--no-feedback")
    wait_for(lambda: noted(folder, "json"))
    with sqlite3.connect(folder / "gradebook.db", isolation_level=None, timeout=30) as other:
        other.execute("begin immediate")
        said = finish(process, status=(2,))
        kept = noted(folder, "pending")
        assert kept and "Nothing that was graded is lost" in said and "database is locked" in said and "Traceback" not in said
        other.execute("rollback")
    before = {path: path.stat().st_mtime_ns for path in folder.glob("autograded/*/attention/attention.ipynb")}
    said = grade(folder, "--json", "results.json")
    assert f"{len(before)} as they were graded before" in said or len(before) == 6
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert rows(sqlite_of(folder)) == rows(sqlite_of(graded)) and noted(folder, "pending") == 0 and noted(folder, "json") == 6
    assert json.loads((folder / "results.json").read_text()) == json.loads((graded / "results.json").read_text())


def test_a_server_that_stops_is_waited_for_and_one_that_stays_away_loses_nothing(graded, server, tmp_path):
    url = server.database("stops")
    folder = lay_out(tmp_path / "course", db_url=url, wait=1)
    process = start(folder, "grade", "attention", "--workers", "1", "--no-feedback")
    wait_for(lambda: noted(folder, "json"))
    server.stop()
    try:
        said = finish(process, status=(2,))
        assert "waiting for the gradebook postgresql" in said and "Nothing that was graded is lost" in said and PASSWORD not in said and "Traceback" not in said
        assert noted(folder, "pending")
        (folder / "course.yaml").write_text((folder / "course.yaml").read_text().replace("gradebook_wait_seconds: 1", "gradebook_wait_seconds: 60"))
        process = start(folder, "grade", "attention", "--workers", "1", "--no-feedback")
        lines = reading(process)
        wait_for(lambda: any("waiting for the gradebook" in line for line in lines))
    finally:
        server.start()
    assert process.wait(timeout=120) == 0
    assert rows(filled(url)) == rows(sqlite_of(graded)) and noted(folder, "pending") == 0


def test_a_pending_entry_outdoes_an_older_one_that_fits(graded, tmp_path):
    """Rows of other bytes may be in the gradebook: what was settled before does not stand."""
    folder = tmp_path / "course"
    shutil.copytree(graded, folder)
    entry = sorted((folder / ".autograder/graded/attention").glob("*.json"))[0]
    changed = json.loads(entry.read_text()) | {"submission": "other bytes"}
    entry.with_suffix(".pending").write_text(json.dumps(changed))
    (folder / "course.yaml").write_text((folder / "course.yaml").read_text())
    assert "5 as they were graded before, 1 graded now" in grade(folder)
    assert rows(sqlite_of(folder)) == rows(sqlite_of(graded))


def test_a_killed_grader_leaves_no_lock_behind(server):
    """Its forked workers live on, but hold no connection: the server sees that the grader is gone."""
    url = server.database("locks")
    script = f"""
import os, signal, sys, time
from sqlalchemy import text
from autograder.database import engine_of
engine = engine_of({filled(url)!r})
connection = engine.connect()
connection.execute(text("create table t (a int)"))
if os.fork() == 0:
    time.sleep(30)
    os._exit(0)
print("locked", flush=True)
time.sleep(30)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True)
    try:
        assert process.stdout.readline() == "locked\n" and len(server.backends()) >= 1
        process.kill()
        process.wait()
        wait_for(lambda: not server.backends(), 10)
    finally:
        os.killpg(process.pid, signal.SIGKILL)


def test_an_action_is_redone_whole(tmp_path):
    """What an attempt wrote before the database went away is not there; what the last wrote is, once."""
    engine = engine_of(f"sqlite:///{tmp_path}/a.db")
    tries = []

    def action(connection):
        connection.exec_driver_sql("create table if not exists t (a int)")
        connection.exec_driver_sql("insert into t values (1)")
        tries.append(1)
        if len(tries) < 3:
            raise locked()
        return connection.exec_driver_sql("select count(*) from t").scalar()
    assert patiently(engine, action, wait=10) == 1 and len(tries) == 3


def locked() -> Exception:
    """A real lock's error, as SQLAlchemy gives it."""
    from sqlalchemy.exc import OperationalError
    one, two = (sqlite3.connect("file:locked?mode=memory&cache=shared", uri=True, isolation_level=None) for _ in range(2))
    try:
        one.execute("create table t (a int)")
        one.execute("begin immediate")
        with pytest.raises(sqlite3.OperationalError) as caught:
            two.execute("begin immediate")
        return OperationalError("begin", {}, caught.value)
    finally:
        one.close()
        two.close()


def test_other_errors_are_not_waited_for(tmp_path, server):
    with pytest.raises(Exception, match="no such table"):
        once(engine_of(f"sqlite:///{tmp_path}/a.db"), lambda connection: connection.exec_driver_sql("select * from elsewhere"))
    url = filled(server.database("errors"))
    for wrong in (url.replace("staff:", "nobody:"), url.replace("/errors", "/nowhere")):
        start_ = time.monotonic()
        with pytest.raises(CourseError) as caught, open_gradebook(read_course(ROOT / "course.yaml").model_copy(update={"db_url": wrong})):
            pass
        assert time.monotonic() - start_ < 5 and "cannot be used" in str(caught.value) and re.search(r"nobody|nowhere", str(caught.value))
    with pytest.raises(Away):
        once(engine_of(re.sub(r":\d+/", ":1/", url)), lambda connection: None)


def test_no_password_is_ever_shown():
    for url in (filled("postgresql://staff:${PGSECRET}@127.0.0.1:1/x"), f"postgresql://staff:{PASSWORD}@127.0.0.1:1/x", f"postgresql:///x?user=a&password={PASSWORD}"):
        assert "hills" not in shown(url) and "away" not in shown(url) and "/x" in shown(url)
    assert shown("sqlite:////a/b@c.db") == "sqlite:////a/b@c.db"


def test_a_missing_driver_says_what_installs_it(tmp_path):
    (tmp_path / "psycopg.py").write_text("raise ImportError('No module named psycopg')")
    code = "from autograder.database import engine_of; engine_of('postgresql+psycopg://a:secret@h/x')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"})
    assert "pip install -c constraints.txt '.[staff,postgres]'" in done.stderr and "CourseError" in done.stderr and "secret" not in done.stderr.splitlines()[-1]
