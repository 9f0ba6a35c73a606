"""nbgrader's gradebook: the assignment's cells and each submission's grades, as nbgrader itself would store them."""

from __future__ import annotations

import contextlib
import os
import sysconfig
from typing import Iterator


@contextlib.contextmanager
def alembic_on_path() -> Iterator[None]:
    """nbgrader runs ``alembic`` when it makes a database: let it find the one installed beside it."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = sysconfig.get_path("scripts") + os.pathsep + before
    try:
        yield
    finally:
        os.environ["PATH"] = before
