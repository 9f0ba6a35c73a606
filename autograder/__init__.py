"""An auto-graded homework kit about transformers.

A student needs two names: ``check`` (run the public checks on a function of the notebook) and ``figures``.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
__all__ = ["check", "__version__"]


def __getattr__(name: str) -> Any:
    """Load ``check`` when it is first asked for, so that the grader and the worker need not load the desk."""
    if name == "check":
        from autograder.desk import check
        return check
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
