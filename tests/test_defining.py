"""Where an answer is written: a class in one cell and its methods in others, as books and slides have them."""

from __future__ import annotations

import json

import pytest
from support import exercise_of, release_of

from autograder.celltext import completes, definitions

NAME = "MultiHeadAttention"
FORWARD = '''def forward(self, X_q, X_kv, mask=None):
    Q, K, V = (t.unflatten(-1, (self.H, -1)).transpose(-3, -2) for t in (self.W_q(X_q), self.W_k(X_kv), self.W_v(X_kv)))
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask[..., None, :, :], -math.inf)
    alpha = scores.softmax(-1).nan_to_num()
    return self.W_o((alpha @ V).transpose(-3, -2).flatten(-2)), alpha
'''
ADD_TO = "def add_to_class(one):\n    return lambda function: setattr(one, function.__name__, function)\n\n"
STUB = "".join(next(cell for cell in json.loads(release_of("multihead"))["cells"] if cell["id"] == NAME)["source"])
WITHOUT_FORWARD = STUB[:STUB.index("    def forward")]
METHOD = "".join(f"    {line}" for line in FORWARD.splitlines(keepends=True))
SPLIT = {
    "assigned": (WITHOUT_FORWARD, FORWARD + f"{NAME}.forward = forward"),
    "assigned, the stub left": (STUB, FORWARD + f"{NAME}.forward = forward"),
    "by a decorator": (WITHOUT_FORWARD, ADD_TO + f"@add_to_class({NAME})\n" + FORWARD),
    "by setattr": (STUB, FORWARD + f"setattr({NAME}, 'forward', forward)"),
    "a class of the same name": (WITHOUT_FORWARD, f"class {NAME}({NAME}):\n" + METHOD),
    "a base of another name": (WITHOUT_FORWARD.replace(f"class {NAME}(", "class Base("), f"class {NAME}(Base):\n" + METHOD),
}


def with_cell(source: str, *, before: str):
    """A change: a cell of one's own before the one of that id."""
    def change(notebook):
        place = next(place for place, cell in enumerate(notebook["cells"]) if cell["id"] == before)
        notebook["cells"].insert(place, {"cell_type": "code", "id": "mine", "metadata": {}, "execution_count": None, "outputs": [], "source": source})
    return change


@pytest.mark.parametrize("below", [False, True], ids=["above its check", "below its check"])
@pytest.mark.parametrize("first, then", SPLIT.values(), ids=SPLIT)
def test_a_class_may_be_written_in_more_cells_than_one(grade_in, first, then, below):
    cells = [cell["id"] for cell in json.loads(release_of("multihead"))["cells"]]
    check = f"{NAME}-checks"
    before = cells[cells.index(check) + 1] if below else check
    graded = exercise_of(grade_in("multihead", {NAME: first}, change=with_cell(then, before=before)), NAME)
    assert graded.outcome == "correct", [check.message for check in graded.checks]


@pytest.mark.parametrize("source, does", [
    ("softmax.__doc__ = 'x'", True), ("@register(softmax)\ndef f(): pass", True), ("setattr(softmax, 'n', 1)", True), ("softmax.calls += 1", True),
    ("check(softmax)", False), ("Y = softmax(X)", False), ("print(softmax.__doc__)", False), ("@functools.cache\ndef f(): pass", False), ("not Python", False),
])
def test_what_adds_to_a_function_from_outside(source, does):
    assert completes(source, "softmax") == does


def test_a_definition_within_a_string_is_none():
    assert definitions("notes = '''\ndef softmax(Z):\n    pass\n'''", "softmax") == 0
    assert definitions("def softmax(Z):\n    pass\ndef softmax(Z):\n    pass", "softmax") == 2 and definitions("softmax = old = None", "softmax") == 1
    assert definitions("def softmax(Z):\n  broken(", "softmax") == 1
