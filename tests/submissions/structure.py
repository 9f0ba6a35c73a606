"""Cells deleted, doubled, reordered, re-typed, edited, and answers in places of their own."""

from __future__ import annotations

from typing import Any, Callable

from submissions.making import (CORRECT, NOT_ATTEMPTED, WRONG, Notebook, Odd, answers, cell_of, changed, double, insert, own, place_of,
                                stub_of, with_own, with_source)

MASK, CAUSAL = "causal_mask", answers()["causal_mask"]
WRONG_MASK = CAUSAL.replace(".tril()", ".triu()")
NO_MASK = {MASK: NOT_ATTEMPTED}


def _without(*names: str) -> bytes:
    return changed(lambda nb: nb.update(cells=[cell for cell in nb["cells"] if cell["id"] not in names]))


def cells() -> list[Odd]:
    """The course's cells deleted, doubled, moved, re-typed and edited."""
    def retyped(name: str, kind: str, source: str | None = None) -> bytes:
        return changed(lambda nb: cell_of(nb, name).update({"cell_type": kind} | ({"source": source} if source else {})))

    def of_kind(kind: str) -> Callable[[Notebook], Any]:
        return lambda nb: nb.update(cells=[cell for cell in nb["cells"] if cell["metadata"].get("autograder", {}).get("kind") != kind])
    return [
        Odd("answer_cell_deleted", NOT_ATTEMPTED, "cell of causal_mask was missing", _without(MASK), lost=NO_MASK),
        Odd("answer_and_check_cell_deleted", NOT_ATTEMPTED, "check cell causal_mask-checks was missing", _without(MASK, "causal_mask-checks"), lost=NO_MASK),
        Odd("cell_after_a_locked_one_deleted", CORRECT, "", _without("prose-11")),
        Odd("check_cell_deleted", CORRECT, "check cell causal_mask-checks was missing", _without("causal_mask-checks")),
        Odd("all_check_cells_deleted", CORRECT, "check cell softmax-checks was missing", changed(of_kind("checks"))),
        Odd("all_prose_deleted", CORRECT, "", changed(of_kind("prose"))),
        Odd("import_cell_deleted", CORRECT, "given-1 was missing", _without("given-1")),
        Odd("written_answer_deleted", CORRECT, "why-divide-by-the-root was missing", _without("why-divide-by-the-root"), written=False),
        Odd("check_cell_doubled", CORRECT, "2 times", changed(lambda nb: double(nb, "causal_mask-checks"))),
        Odd("answer_cell_doubled", CORRECT, "2 cells for causal_mask", changed(lambda nb: double(nb, MASK))),
        Odd("answer_cell_doubled_as_the_empty_one", CORRECT, "2 cells for causal_mask",
            changed(lambda nb: double(nb, MASK).update(source=stub_of(MASK)))),
        Odd("every_cell_doubled", CORRECT, "2 cells for softmax", changed(lambda nb: [double(nb, cell["id"]) for cell in list(nb["cells"])])),
        Odd("written_answer_doubled", CORRECT, "why-divide-by-the-root was there 2 times", changed(lambda nb: double(nb, "why-divide-by-the-root"))),
        Odd("cells_reversed", CORRECT, "order", changed(lambda nb: nb["cells"].reverse())),
        Odd("answer_cell_moved_to_the_end", CORRECT, "order", changed(lambda nb: nb["cells"].append(nb["cells"].pop(place_of(nb, MASK))))),
        Odd("answer_cell_a_markdown_cell", CORRECT, "had become a markdown cell", retyped(MASK, "markdown")),
        Odd("answer_cell_a_raw_cell", CORRECT, "had become a raw cell", retyped(MASK, "raw")),
        Odd("answer_cell_fenced_in_markdown", CORRECT, "had become a markdown cell", retyped(MASK, "markdown", f"```python\n{CAUSAL}```\n")),
        Odd("check_cell_a_markdown_cell", CORRECT, "causal_mask-checks had become a markdown cell", retyped("causal_mask-checks", "markdown")),
        Odd("written_answer_a_code_cell", CORRECT, "why-divide-by-the-root had become a code cell", retyped("why-divide-by-the-root", "code")),
        Odd("check_cell_edited", CORRECT, "causal_mask-checks was edited", with_source("causal_mask-checks", "assert True")),
        Odd("check_cell_emptied", CORRECT, "causal_mask-checks was edited", with_source("causal_mask-checks", "")),
        Odd("import_cell_edited", CORRECT, "given-1 was edited", with_source("given-1", "import torch\nimport numpy as np")),
        Odd("code_in_the_check_cell", NOT_ATTEMPTED, "answers belong in the cell above", changed(_into_the_check_cell), lost=NO_MASK),
        Odd("corrected_in_the_check_cell", WRONG, "answers belong in the cell above", changed(
            lambda nb: (_into_the_check_cell(nb), cell_of(nb, MASK).update(source=WRONG_MASK))), lost={MASK: WRONG}),
    ]


def _into_the_check_cell(notebook: Notebook) -> None:
    cell_of(notebook, MASK)["source"] = stub_of(MASK)
    cell_of(notebook, "causal_mask-checks")["source"] = CAUSAL + "\n\ncheck(causal_mask)"


def _elsewhere(place: str, *, kind: str = "code", stub: bool = True, source: str = CAUSAL, after: bool = True) -> bytes:
    """The answer to causal_mask in a cell of the student's own after (or before) `place`; its own cell empty or gone."""
    def change(notebook: Notebook) -> None:
        insert(notebook, own(source, kind), **{"after" if after else "before": place})
        if stub:
            cell_of(notebook, MASK)["source"] = stub_of(MASK)
        else:
            notebook["cells"].remove(cell_of(notebook, MASK))
    return changed(change)


def _into(name: str) -> bytes:
    """The answer to causal_mask typed under another exercise's function."""
    def change(notebook: Notebook) -> None:
        cell_of(notebook, MASK)["source"] = stub_of(MASK)
        cell_of(notebook, name)["source"] += "\n\n" + CAUSAL
    return changed(change)


def _swapped(notebook: Notebook) -> None:
    one, two = cell_of(notebook, MASK), cell_of(notebook, "padding_mask")
    one["source"], two["source"] = two["source"], one["source"]


def _split(notebook: Notebook) -> None:
    cell_of(notebook, MASK)["source"] = "def _ones(N):\n    return torch.ones(N, N, dtype=torch.bool)"
    insert(notebook, own("def causal_mask(N):\n    return _ones(N).tril()"), after=MASK)


def _helper(notebook: Notebook, *, below: bool) -> None:
    cell_of(notebook, MASK)["source"] = "def causal_mask(N):\n    return _lower(N)"
    helper = own("def _lower(N):\n    return torch.ones(N, N, dtype=torch.bool).tril()")
    insert(notebook, helper, **({"after": "causal_mask-checks"} if below else {"before": "prose-2"}))


def places() -> list[Odd]:
    """The right answer somewhere else, or twice."""
    found = "answer to causal_mask was found"
    return [
        Odd("answer_in_a_cell_above", CORRECT, found, _elsewhere("prose-2")),
        Odd("answer_in_a_cell_at_the_top", CORRECT, found, _elsewhere("prose-1", after=False)),
        Odd("answer_in_a_cell_below", CORRECT, found, _elsewhere(MASK)),
        Odd("answer_in_a_cell_below_the_check", CORRECT, found, _elsewhere("causal_mask-checks")),
        Odd("answer_in_the_last_cell", CORRECT, found, _elsewhere("prose-17")),
        Odd("answer_in_a_cell_of_its_own_and_the_other_deleted", CORRECT, "had lost its metadata", _elsewhere("prose-12", stub=False)),
        Odd("answer_in_a_markdown_cell", CORRECT, found + ".*markdown", _elsewhere(MASK, kind="markdown")),
        Odd("answer_fenced_in_a_markdown_cell", CORRECT, found + ".*markdown", _elsewhere(MASK, kind="markdown", source=f"```python\n{CAUSAL}\n```")),
        Odd("answer_in_a_raw_cell", CORRECT, found + ".*raw", _elsewhere(MASK, kind="raw")),
        Odd("answer_under_another_exercise_above", CORRECT, found, _into("softmax")),
        Odd("answer_under_another_exercise_below", CORRECT, found, _into("attention_entropy")),
        Odd("two_answers_swapped", CORRECT, "answer to causal_mask was found", changed(_swapped)),
        Odd("answer_split_over_two_cells", CORRECT, found, changed(_split)),
        Odd("helper_in_a_cell_above", CORRECT, "", changed(lambda nb: _helper(nb, below=False))),
        Odd("helper_in_a_cell_below", CORRECT, "uses _lower, defined below", changed(lambda nb: _helper(nb, below=True))),
        Odd("defined_twice_in_its_cell", CORRECT, "causal_mask is defined 2 times", with_source(MASK, WRONG_MASK + "\n\n" + CAUSAL)),
        Odd("defined_again_before_the_check", CORRECT, "causal_mask is defined 2 times", changed(
            lambda nb: (cell_of(nb, MASK).update(source=WRONG_MASK), insert(nb, own(CAUSAL), after=MASK)))),
        Odd("defined_again_after_the_check", CORRECT, "causal_mask is defined 2 times", changed(
            lambda nb: insert(nb, own(WRONG_MASK), after="causal_mask-checks"))),
        Odd("example_in_a_markdown_cell", CORRECT, "", with_own("```python\ndef causal_mask(N):\n    ...\n```", kind="markdown")),
    ]


def structure() -> list[Odd]:
    """All of them."""
    return [*cells(), *places()]
