"""The database behind the gradebook, SQLite or PostgreSQL: opening it, transactions, and what is waited for.

A transaction is a function of a connection. It is done whole or not at all, and where the database was locked or away it is done
again from its beginning; so such a function must give the same rows when it is done twice.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import time
import weakref
from typing import Any, Callable, TypeVar

from autograder.places import CourseError

T = TypeVar("T")
LOCK_SECONDS = 1  # a statement waits so long for somebody else's lock before it counts as locked
_ONE_AT_A_TIME = 7_031_947  # PostgreSQL's advisory lock of those who make or change what all submissions share
_PERMANENT = ("password", "does not exist", "pg_hba.conf", "authentication", "invalid")
_NETWORK = {"connect_timeout": "10", "keepalives_idle": "20", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "30000"}
_log = logging.getLogger("autograder.gradebook")
_connections: weakref.WeakSet = weakref.WeakSet()


class Away(Exception):
    """The database is locked or cannot be reached just now; what was to be done is not done."""


def shown(url: str) -> str:
    """The address as it may be shown: without password."""
    url = re.sub(r"^([^:]+://[^:/@]*):.*@", r"\1:***@", url)
    return re.sub(r"([?&]password=)[^&]*", r"\1***", url)


def engine_of(url: str) -> Any:
    """SQLAlchemy's engine for an address of ``course.yaml``. Raises `CourseError` where the driver is missing or the address is none."""
    from sqlalchemy import NullPool, create_engine, event
    from sqlalchemy.exc import ArgumentError
    if url.startswith("sqlite:"):
        return create_engine(url, connect_args={"timeout": LOCK_SECONDS}, poolclass=NullPool)  # a file that was replaced is seen
    try:
        import psycopg
    except ImportError as error:
        raise CourseError(f"the gradebook {shown(url)} needs PostgreSQL's driver ({error}); install it with: "
                          "pip install -c constraints.txt '.[staff,postgres]'") from error
    try:
        engine = create_engine(url, pool_size=1)
    except (ArgumentError, ValueError) as error:
        raise CourseError(f"db_url in course.yaml is no address of a database ({shown(url)}); "
                          "write it as postgresql://user:${PASSWORD}@host:5432/name") from error

    @event.listens_for(engine, "do_connect")
    def _connect(dialect: Any, record: Any, positional: list, named: dict) -> None:
        for key, value in _NETWORK.items():
            named.setdefault(key, value)
        named.setdefault("options", f"-c lock_timeout={LOCK_SECONDS}s")

    @event.listens_for(engine, "connect")
    def _note(connection: psycopg.Connection, record: Any) -> None:
        _connections.add(connection)
    return engine


def _let_go() -> None:
    """In a forked process: close its copies of the sockets, or else the server would not see it when their owner dies."""
    for connection in list(_connections):
        with contextlib.suppress(Exception):
            os.close(connection.fileno())
    _connections.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


def once(engine: Any, action: Callable[[Any], T], *, alone: bool = False) -> T:
    """What ``action(connection)`` gives, in one transaction. Raises `Away`; with `alone` nobody else's `alone` runs meanwhile."""
    from sqlalchemy.exc import DBAPIError
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            elif alone:
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ONE_AT_A_TIME})")
            given = action(connection)
            connection.commit()
            return given
    except DBAPIError as error:
        if not _passing(error):
            raise
        engine.dispose()
        raise Away(in_short(error)) from error


def patiently(engine: Any, action: Callable[[Any], T], *, wait: float, alone: bool = False) -> T:
    """As `once`, but a database that is locked or away is waited for, `wait` seconds at most; then `CourseError`."""
    patience = Patience(engine.url.render_as_string(hide_password=False), wait)
    while True:
        try:
            return once(engine, action, alone=alone)
        except Away as away:
            patience.tell(away)
            time.sleep(0.2)


class Patience:
    """Waiting for a database: says what is waited for, and ends with a `CourseError`."""

    def __init__(self, url: str, wait: float) -> None:
        self.url, self.wait, self.since = shown(url), wait, None

    def tell(self, away: Away) -> None:
        """It is still away. Raises `CourseError` when that has lasted too long."""
        now = time.monotonic()
        if self.since is None:
            self.since = now
            _log.warning(f"waiting for the gradebook {self.url} ({away}), {self.wait:g} seconds at most")
        elif now - self.since > self.wait:
            raise CourseError(f"the gradebook {self.url} was not to be had for {self.wait:g} seconds ({away}). Nothing that was graded is lost: "
                              "start the database or end what locks it, then run the same command again (gradebook_wait_seconds in "
                              "course.yaml says how long is waited)") from away

    def over(self) -> None:
        """It is back."""
        if self.since is not None:
            _log.warning(f"the gradebook {self.url} is back")
        self.since = None


def in_short(error: Exception) -> str:
    """The database's own words, in one line."""
    lines = [line.strip() for line in str(getattr(error, "orig", None) or error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _passing(error: Any) -> bool:
    """Whether an error of the database may be gone when it is asked again."""
    from sqlalchemy.exc import InterfaceError, OperationalError
    name, state = getattr(error.orig, "sqlite_errorname", None), getattr(error.orig, "sqlstate", None)
    if name:
        return name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
    if state:  # connection, conflict with others, resources, operator's intervention, lock not to be had
        return state[:2] in ("08", "40", "53", "57") or state == "55P03"
    said = str(error.orig).lower()
    return error.connection_invalidated or isinstance(error, (OperationalError, InterfaceError)) and not any(word in said for word in _PERMANENT)
