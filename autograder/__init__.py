"""An auto-graded homework kit about transformers.

A student needs ``check`` (run the public checks on a function or class of the notebook) and ``figures``; ``fill_parameters`` fills a
module's parameters as the checks do.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
__all__ = ["check", "fill_parameters", "__version__"]


def __getattr__(name: str) -> Any:
    """Load ``check`` when it is first asked for, so that the grader and the worker need not load the desk."""
    if name == "check":
        from autograder.desk import check
        return check
    if name == "fill_parameters":
        from autograder.untrusted.modules import fill_parameters
        return fill_parameters
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
