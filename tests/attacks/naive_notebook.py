"""The notebook of the naive grader's course: three exercises, each with a check cell that prints its share of the points."""

from __future__ import annotations

from typing import Any

POINTS = {"softmax": 9.0, "simple_attention": 7.0, "causal_mask": 3.0}


def naive_notebook() -> dict[str, Any]:
    """It as nbformat's JSON; cells are marked as nbgrader marks them."""
    cells = [_cell("import math\nimport torch", "given-1", {})]
    for name, points in POINTS.items():
        cells.append(_cell("", name, {"solution": True, "grade": False, "locked": False}))
        cells.append(_cell(f"grade({name!r})", f"{name}-checks", {"solution": False, "grade": True, "locked": True, "points": points}))
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def _cell(source: str, name: str, more: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "id": name, "metadata": {"nbgrader": {"grade_id": name, "schema_version": 3, **more}}, "source": source,
            "outputs": [], "execution_count": None}
