"""The autograded notebook: the rebuilt cells with what they printed, our panel in each check cell, and its score.

A check cell gets exactly a display (the panel) and an execute_result (a plain float), which is what nbgrader's score
reader takes for partial credit; never a stream on stderr, which it takes for failure.
"""

from __future__ import annotations

import json
import re
from typing import Any

from autograder.blueprint import ANSWER, CHECKS, SOLUTION, Blueprint
from autograder.engine import Graded
from autograder.panel import as_html, as_text
from autograder.rebuild import STUDENT, Cell
from autograder.results import ExerciseResult, LateResult, SubmissionResult

NO_RESPONSE = "No response."


def notebook_text(blueprint: Blueprint, result: SubmissionResult, graded: Graded | None, *, isolation: str) -> str:
    """The autograded notebook as text. Without `graded` (an unreadable file) it is the empty assignment with the reason."""
    by_name = {exercise.name: exercise for exercise in result.exercises}
    if graded is None:
        cells = [_course_only(cell) for cell in blueprint.cells]
    else:
        cells = [_cell(cell, graded) for cell in graded.rebuilt.cells]
    for cell in cells:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "").removesuffix("-checks")
        if cell["metadata"].get("autograder", {}).get("kind") == CHECKS and name in by_name:
            cell["outputs"] = _check_outputs(by_name[name])
    cells.insert(0, _summary(result, isolation))
    metadata = {**blueprint.metadata, "autograder": {"kit_version": _version(), "isolation": isolation, "outcome": result.outcome, "reason": result.reason,
                                                     "comments": comments(blueprint, result, isolation)}}
    tree = _without_surrogates({"cells": cells, "metadata": metadata})
    one_a_line = ",\n".join(map(_compact, tree["cells"]))  # json's indent would take its slow path
    return f'{{"cells": [\n{one_a_line}\n],\n"metadata": {_compact(tree["metadata"])},\n"nbformat": 4, "nbformat_minor": 5}}\n'


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _version() -> str:
    from autograder import __version__
    return __version__


def comments(blueprint: Blueprint, result: SubmissionResult, isolation: str) -> dict[str, str | None]:
    """The automatic comment for each solution and answer cell, by grade_id. The first says how submissions were kept apart."""
    said: dict[str, str | None] = {}
    answered = {written.name: written.answered for written in result.written}
    by_name = {exercise.name: exercise for exercise in result.exercises}
    for cell in blueprint.cells:
        if cell.kind == ANSWER:
            said[cell.grade_id] = None if answered.get(cell.grade_id) else NO_RESPONSE
        elif cell.kind == SOLUTION:
            said[cell.grade_id] = _comment(by_name[cell.exercise])
    first = first_commented(blueprint)
    if first:
        said[first] = f"{said[first] or ''} Graded at {isolation}.".strip()
    return {name: text and _storable(text) for name, text in said.items()}


def first_commented(blueprint: Blueprint) -> str | None:
    """The cell whose comment also tells what concerns the whole submission; a blueprint taken from a file that cannot be read has none."""
    return next((cell.grade_id for cell in blueprint.cells if cell.kind in (ANSWER, SOLUTION)), None)


def with_lateness(said: dict[str, str | None], late: LateResult | None) -> dict[str, str | None]:
    """The comments, with what was taken off for lateness at the end of the first."""
    if late is None or not said:
        return said
    first = next(iter(said))
    return said | {first: f"{said[first] or ''} {late.reason}.".strip()}


def _storable(text: str) -> str:
    """`text` without what PostgreSQL cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def _comment(exercise: ExerciseResult) -> str | None:
    flags = [remark for remark in exercise.remarks if remark.startswith("For a person")]
    if exercise.outcome == "not_attempted":
        return NO_RESPONSE
    if exercise.outcome == "correct":
        return " ".join(flags) or None
    failed = next(check for check in exercise.checks if check.outcome == exercise.outcome)
    first = f"It behaves like {exercise.behaves_like}." if exercise.behaves_like else failed.message
    return " ".join([first, *flags])


def _summary(result: SubmissionResult, isolation: str) -> dict[str, Any]:
    by_hand = sum(written.max_score for written in result.written)
    more = f" ({by_hand:g} more are given by a person)" if by_hand else ""
    lines = [f"**{result.score:g} of {result.max_score:g} points by machine**{more}: {as_markdown(result.reason)}"]
    if result.remarks:
        lines.append("\n".join(f"- {as_markdown(remark)}" for remark in result.remarks))
    lines.append(f"*Graded by version {_version()} of the kit. How submissions were kept apart (canaries are harmless attacks, tried beforehand): "
                 f"{as_markdown(isolation)}.*")
    return {"cell_type": "markdown", "id": "autograder-summary", "metadata": {}, "source": "\n\n".join(lines)}


def as_markdown(text: str) -> str:
    """`text` so that Markdown and HTML leave it as it is."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#+!|$~])", r"\\\1", " ".join(text.split()))


def _course_only(cell: Any) -> dict[str, Any]:
    made = {"cell_type": cell.cell_type, "id": cell.cell_id, "metadata": cell.metadata, "source": cell.source}
    return made | ({"execution_count": None, "outputs": []} if cell.cell_type == "code" else {})


def _cell(cell: Cell, graded: Graded) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": cell.cell_type, "id": cell.cell_id, "metadata": cell.metadata, "source": cell.source}
    if cell.cell_type == "code":
        outputs = [_output(output) for output in graded.outputs.get(cell.cell_id, [])]
        if cell.cell_id in graded.errors and cell.origin == STUDENT:
            outputs.append(_error(graded.errors[cell.cell_id]))
        made |= {"execution_count": None, "outputs": outputs}
    return made


def _output(output: dict[str, str]) -> dict[str, Any]:
    if output["kind"] in ("stdout", "stderr"):
        return {"output_type": "stream", "name": output["kind"], "text": output["text"]}
    data = {"text/plain": output["text"]} | ({"image/png": output["png"]} if "png" in output else {})
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _error(error: tuple) -> dict[str, Any]:
    _, name, message, line, text = error
    place = f"line {line}: {text.strip()}" if line > 0 else ""
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": [*filter(None, [place]), f"{name}: {message}"]}


def _check_outputs(exercise: ExerciseResult) -> list[dict[str, Any]]:
    panel = {"output_type": "display_data", "data": {"text/html": as_html(exercise), "text/plain": as_text(exercise)}, "metadata": {}}
    score = {"output_type": "execute_result", "execution_count": None, "data": {"text/plain": repr(float(exercise.score))}, "metadata": {}}
    return [panel, score]


def _without_surrogates(value: Any) -> Any:
    """`value` with lone surrogates, which no file can hold, replaced."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8") if not value.isascii() else value
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_surrogates(item) for key, item in value.items()}
    return value
