"""Odd metadata: nbformat versions, ids, other editors, nbgrader's own."""

from __future__ import annotations

from typing import Any, Callable

import nbformat

from submissions.making import CORRECT, NOT_ATTEMPTED, Notebook, Odd, cell_of, changed, data_of, insert, own, right, right_text


def each(change: Callable[[dict[str, Any]], Any], kind: str = "") -> bytes:
    """The right notebook with every cell (of a kind) changed."""
    def all_cells(notebook: Notebook) -> None:
        for cell in notebook["cells"]:
            if not kind or cell["cell_type"] == kind:
                change(cell)
    return changed(all_cells)


def nbgraders(change: Callable[[dict[str, Any]], Any], name: str = "") -> bytes:
    """The right notebook with nbgrader's metadata of every cell (or one) changed."""
    def all_cells(notebook: Notebook) -> None:
        for cell in notebook["cells"]:
            if "nbgrader" in cell["metadata"] and name in ("", cell["id"]):
                change(cell["metadata"]["nbgrader"])
    return changed(all_cells)


def formats() -> list[Odd]:
    """Versions of the format, and keys that are missing or hold something else."""
    old = nbformat.writes(nbformat.convert(nbformat.reads(right_text(), 4), 3), 3).encode()
    top = [("nbformat_5", {"nbformat": 5, "nbformat_minor": 0}), ("nbformat_a_string", {"nbformat": "4"}), ("nbformat_minor_99", {"nbformat_minor": 99}),
           ("metadata_null", {"metadata": None}), ("metadata_a_list", {"metadata": [1]}), ("unknown_keys", {"unknown": {"x": 1}}),
           ("foreign_kernelspec", {"metadata": {"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}, "language_info": {"name": "R"}}}),
           ("no_kernelspec", {"metadata": {"kernelspec": None}}), ("widget_state", {"metadata": {"widgets": {"state": {"a": 1}}}})]
    return [
        Odd("nbformat_3", CORRECT, "", old), *(Odd(what, CORRECT, "", data_of(right() | keys)) for what, keys in top),
        Odd("nbformat_missing", CORRECT, "", changed(lambda nb: (nb.pop("nbformat"), nb.pop("nbformat_minor")))),
        Odd("metadata_missing", CORRECT, "", changed(lambda nb: nb.pop("metadata"))),
        Odd("outputs_missing", CORRECT, "", each(lambda cell: (cell.pop("outputs"), cell.pop("execution_count")), "code")),
        Odd("outputs_null", CORRECT, "", each(lambda cell: cell.update(outputs=None, execution_count="seven"), "code")),
        Odd("cell_type_missing", CORRECT, "", each(lambda cell: cell.pop("cell_type"))),
        Odd("cell_type_unknown", CORRECT, "", each(lambda cell: cell.update(cell_type="sql"), "code")),
        Odd("source_as_lists", CORRECT, "", each(lambda cell: cell.update(source=cell["source"].splitlines(keepends=True)))),
        Odd("source_missing_in_prose", CORRECT, "", changed(lambda nb: cell_of(nb, "prose-1").pop("source"))),
        Odd("source_missing_in_an_answer", NOT_ATTEMPTED, "causal_mask", changed(lambda nb: cell_of(nb, "causal_mask").pop("source")),
            lost={"causal_mask": NOT_ATTEMPTED}),
        Odd("source_a_number", NOT_ATTEMPTED, "causal_mask", changed(lambda nb: cell_of(nb, "causal_mask").update(source=42)),
            lost={"causal_mask": NOT_ATTEMPTED}),
    ]


def ids() -> list[Odd]:
    """Cell ids lost, the same, too long, of another type."""
    return [
        Odd("ids_missing", CORRECT, "", each(lambda cell: cell.pop("id"))),
        Odd("ids_all_the_same", CORRECT, "", each(lambda cell: cell.update(id="a"))),
        Odd("ids_too_long", CORRECT, "", each(lambda cell: cell.update(id="x" * 300 + cell["id"]))),
        Odd("ids_numbers", CORRECT, "", each(lambda cell: cell.update(id=7))),
        Odd("ids_the_same_and_metadata_lost", CORRECT, "had lost", each(lambda cell: cell.update(id="a", metadata={}))),
        Odd("ids_and_metadata_lost", CORRECT, "had lost", each(lambda cell: (cell.pop("id"), cell.pop("metadata")))),
    ]


def editors() -> list[Odd]:
    """What other editors leave behind."""
    def colab(cell: dict[str, Any]) -> None:
        cell["metadata"] |= {"id": f"A{abs(len(cell['source']))}bX", "colab": {"base_uri": "https://localhost:8080/"}, "outputId": "5"}
        del cell["id"]

    def picture(notebook: Notebook) -> None:
        cell = cell_of(notebook, "why-divide-by-the-root")
        cell["source"] += "\n\n![drawing](attachment:image.png)"
        cell["attachments"] = {"image.png": {"image/png": "iVBORw0KGgo="}}
    return [
        Odd("colab", CORRECT, "", each(colab)),
        Odd("colab_form_cells", CORRECT, "", each(lambda cell: cell["metadata"].update(cellView="form", colab={}))),
        Odd("vs_code", CORRECT, "", each(lambda cell: cell["metadata"].update(vscode={"languageId": "python"}))),
        Odd("jupyterlab_times_and_collapsed", CORRECT, "", each(lambda cell: cell["metadata"].update(
            collapsed=True, jupyter={"source_hidden": True}, execution={"iopub.execute_input": "2027-02-01T12:00:00Z"}))),
        Odd("slideshow_tags", CORRECT, "", each(lambda cell: cell["metadata"].update(slideshow={"slide_type": "skip"}, tags=["hide"]))),
        Odd("skip_execution_tags", CORRECT, "", each(lambda cell: cell["metadata"].update(tags=["skip-execution", "raises-exception"]))),
        Odd("attachment_in_the_answer", CORRECT, "picture", changed(picture)),
        Odd("stored_outputs_of_40_mb", CORRECT, "", _heavy(40)),
    ]


def _heavy(megabytes: int) -> bytes:
    output = {"output_type": "stream", "name": "stdout", "text": "OUTPUT"}
    text = data_of(right() | {"cells": [cell | ({"outputs": [output]} if cell["id"] == "softmax" else {}) for cell in right()["cells"]]})
    return text.replace(b"OUTPUT", b"x" * (megabytes << 20))


def nbgrader() -> list[Odd]:
    """nbgrader's metadata lost and edited."""
    def swapped(notebook: Notebook) -> None:
        one, two = (cell_of(notebook, name)["metadata"]["nbgrader"] for name in ("causal_mask", "padding_mask"))
        one["grade_id"], two["grade_id"] = two["grade_id"], one["grade_id"]

    def in_an_own_cell(notebook: Notebook) -> None:
        cell = own("x = 1")
        cell["metadata"] = {"nbgrader": {"grade_id": "bonus", "grade": True, "points": 100, "locked": False, "solution": False, "schema_version": 3}}
        insert(notebook, cell, before="softmax")
    lost, edited = "had lost", "metadata .*edited"
    return [
        Odd("all_metadata_lost", CORRECT, lost, each(lambda cell: cell.update(metadata={}))),
        Odd("metadata_of_one_cell_lost", CORRECT, "causal_mask.*" + lost, changed(lambda nb: cell_of(nb, "causal_mask").update(metadata={}))),
        Odd("metadata_of_a_check_cell_lost", CORRECT, lost, changed(lambda nb: cell_of(nb, "causal_mask-checks").update(metadata={}))),
        Odd("cell_metadata_missing", CORRECT, lost, each(lambda cell: cell.pop("metadata"))),
        Odd("nbgrader_null", CORRECT, lost, each(lambda cell: cell["metadata"].update(nbgrader=None))),
        Odd("grade_id_missing", CORRECT, lost, nbgraders(lambda data: data.pop("grade_id"))),
        Odd("grade_id_a_number", CORRECT, lost, nbgraders(lambda data: data.update(grade_id=3))),
        Odd("grade_id_edited", CORRECT, "had lost", nbgraders(lambda data: data.update(grade_id="my_mask"), "causal_mask")),
        Odd("grade_id_of_the_answer_edited", CORRECT, "had lost", nbgraders(lambda data: data.update(grade_id="q"), "why-divide-by-the-root")),
        Odd("grade_ids_swapped", CORRECT, "another cell|cell of", changed(swapped)),
        Odd("points_a_string", CORRECT, edited + ".*points", nbgraders(lambda data: data.update(points="2"), "softmax-checks")),
        Odd("points_999", CORRECT, edited + ".*points", nbgraders(lambda data: data.update(points=999))),
        Odd("grade_false", CORRECT, edited + ".*grade", nbgraders(lambda data: data.update(grade=False))),
        Odd("locked_false", CORRECT, edited + ".*locked", nbgraders(lambda data: data.update(locked=False))),
        Odd("solution_null", CORRECT, edited + ".*solution", nbgraders(lambda data: data.update(solution=None))),
        Odd("schema_version_1", CORRECT, edited + ".*schema_version", nbgraders(lambda data: data.update(schema_version=1))),
        Odd("schema_version_4", CORRECT, edited + ".*schema_version", nbgraders(lambda data: data.update(schema_version=4))),
        Odd("checksums_gone", CORRECT, "", nbgraders(lambda data: data.pop("checksum", None))),
        Odd("own_cell_worth_100_points", CORRECT, "", changed(in_an_own_cell)),
    ]


def metadata() -> list[Odd]:
    """All of them."""
    return [*formats(), *ids(), *editors(), *nbgrader()]
