"""One case of one check: what is known while its body runs, for the comparison and for the report."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Iterator


@dataclass
class Case:
    """State of the running case.

    rounding: relative rounding of the coarsest floating dtype that the student returned so far (0 for float64). coarse: the
    results that came in such a dtype, by id: (the float64 tensor made of it, the dtype).
    remarks: sentences for the student that cost nothing. calls: (operation, answer) pairs in order.
    reference: answers of the reference in order, to be used again when the same case meets the next student.
    deviations: how far every compared result was off, in units of its tolerance; None where nobody asks (it costs time).
    """

    rounding: float = 0.0
    coarse: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    remarks: set[str] = field(default_factory=set)
    calls: list[tuple[Any, Any]] = field(default_factory=list)
    reference: list[tuple[Any, Any]] = field(default_factory=list)
    used: int = 0
    deviations: list[float] | None = None


_case: ContextVar[Case] = ContextVar("case", default=Case())


def current_case() -> Case:
    """The case that is running in this context."""
    return _case.get()


@contextlib.contextmanager
def running(case: Case) -> Iterator[Case]:
    """Make `case` the running one."""
    token = _case.set(case)
    try:
        yield case
    finally:
        _case.reset(token)
