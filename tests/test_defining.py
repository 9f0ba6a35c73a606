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


def test_the_notebook_of_another_assignment_is_called_by_its_name(grade):
    outcome = grade(data=release_of("vision").encode()).result
    assert outcome.outcome == "not_attempted" and outcome.reason == "this is the notebook of vision"
    assert outcome.remarks[0] == "This is the notebook of vision; that of attention was asked for."
    assert not any("was edited" in remark for remark in outcome.remarks)


def test_a_module_that_a_cell_writes_can_be_imported_as_in_jupyter(grade):
    """The working directory is on Jupyter's path, and comes last here, so that it hides nothing."""
    answer = "from my_helpers import soft\n\ndef softmax(Z, dim=-1):\n    return soft(Z, dim)"
    written = "%%writefile my_helpers.py\nimport torch\ndef soft(Z, dim):\n    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))"
    assert exercise_of(grade({"softmax": answer}, change=with_cell(written, before="softmax")), "softmax").outcome == "correct"


def test_an_answers_cell_that_takes_too_long_is_over_a_limit_and_raised_nothing(grade):
    answer = "import time\ntime.sleep(1000)\n\ndef causal_mask(N):\n    return torch.ones(N, N, dtype=torch.bool).tril()"
    mask = exercise_of(grade({"causal_mask": answer}), "causal_mask")
    assert mask.outcome == "limit" and mask.checks[0].message.startswith("The cell of causal_mask was stopped: It took more than"), mask


OWN_CLASSES = '''def class_token_attention(model, images):
    assert isinstance(model, (TinyViT, StandIn))
    layers = [layer for layer in model.layers if isinstance(layer, EncoderLayer)]
    X = model.tokens(images)
    for layer in layers[:-1]:
        X = layer(X)
    Z = layers[-1].norm1(X)
    return layers[-1].attention(Z, Z, Z)[1][:, 0, 1:]
'''


@pytest.mark.parametrize("own, outcome", [("x = 1", "correct"), ("class EncoderLayer(nn.Module):\n    pass", "raised")], ids=["as given", "overwritten"])
def test_a_given_model_is_of_the_notebooks_own_class(grade_in, own, outcome):
    """...where that is still the given one; what the checks are called on does not depend on what a student wrote over it."""
    graded = exercise_of(grade_in("vision", {"class_token_attention": OWN_CLASSES}, change=with_cell(own, before="class_token_attention")), "class_token_attention")
    assert graded.outcome == outcome, [check.message for check in graded.checks]
