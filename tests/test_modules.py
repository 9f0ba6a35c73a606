"""Class exercises: built, filled by name, called and differentiated where the class lives; models given to functions."""

from __future__ import annotations

import sys
import types

import pytest
import torch
from torch import nn

from autograder.build import solution_source
from autograder.case import Case, running
from autograder.compare import Mismatch
from autograder.counterexample import counterexample
from autograder.exercise import Exercise
from autograder.run import calls_request, checked_answers
from autograder.strategies import Filler
from autograder.student import Given, StudentRaised, floats, local
from autograder.untrusted import wire
from autograder.untrusted.modules import fill_parameters

FILLER = Filler("normal", 3)
GIVEN = '''
import torch

class LinearReadout(torch.nn.Module):
    def __init__(self, K):
        super().__init__()
        self.W = torch.nn.Parameter(torch.zeros(K, 2))

    def forward(self, X):
        return X @ self.W.T
'''
CELL = '''
import torch

class Toy(torch.nn.Module):
    def __init__(self, D, H=1):
        super().__init__()
        if D % H:
            raise ValueError("H must divide D")
        self.attention = torch.nn.MultiheadAttention(D, H, batch_first=True)
        self.norm = torch.nn.LayerNorm(D)

    def forward(self, X, mask=None):
        return X + self.attention(self.norm(X), X, X, attn_mask=mask)[0]
'''


class Toy(nn.Module):
    """The same as in CELL."""

    def __init__(self, D, H=1):
        super().__init__()
        if D % H:
            raise ValueError("H must divide D")
        self.attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm = nn.LayerNorm(D)

    def forward(self, X, mask=None):
        return X + self.attention(self.norm(X), X, X, attn_mask=mask)[0]


class OwnParts(nn.Module):
    """The same from parts with other names, and a parameter of its own that does nothing."""

    class Norm(nn.Module):
        def __init__(self, D):
            super().__init__()
            self.gamma, self.beta = nn.Parameter(torch.ones(D)), nn.Parameter(torch.zeros(D))

        def forward(self, X):
            centred = X - X.mean(-1, keepdim=True)
            return self.gamma * centred / torch.sqrt(X.var(-1, keepdim=True, correction=0) + 1e-5) + self.beta

    class Attention(nn.Module):
        def __init__(self, D, H):
            super().__init__()
            self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(D, D) for _ in range(4))
            self.H = H

        def forward(self, Q, K, V):
            Q, K, V = (f(X).unflatten(-1, (self.H, -1)).transpose(-3, -2) for f, X in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
            alpha = torch.softmax(Q @ K.mT / Q.shape[-1] ** 0.5, -1)
            return self.W_o((alpha @ V).transpose(-3, -2).flatten(-2))

    def __init__(self, D, H=1):
        super().__init__()
        self.own_attention, self.norm, self.spare = self.Attention(D, H), self.Norm(D), nn.Parameter(torch.ones(3))

    def forward(self, X, mask=None):
        return X + self.own_attention(self.norm(X), X, X)


def parameters(D, H=1):
    return {"attention.in_proj_weight": (3 * D, D), "attention.in_proj_bias": (3 * D,), "attention.out_proj.weight": (D, D),
            "attention.out_proj.bias": (D,), "norm.weight": (D,), "norm.bias": (D,)}


@pytest.fixture
def toy(tmp_path):
    """An exercise for which `Toy` is right, with one given model."""
    (tmp_path / "_given.py").write_text(GIVEN)
    module = types.ModuleType("toys.kit.Toy")
    module.__file__ = str(tmp_path / "Toy.py")
    sys.modules["toys.kit.Toy"] = module
    yield Exercise("toys.kit.Toy", title="A toy", parameters=parameters, returns={"forward": lambda layer, X, mask=None: {"Y": floats(*X.shape)}},
                   aliases=((r"^attention\.", "own_attention."),))
    del sys.modules["toys.kit.Toy"]


X = torch.arange(12.0, dtype=torch.float64).reshape(3, 4) / 5


def test_a_filled_module_is_the_students_own_one_filled_by_hand(toy):
    Y = local(Toy, toy).build(4, 2).fill(FILLER)(X)
    assert torch.equal(Y, fill_parameters(Toy(4, 2), 3, "normal")(X))


def test_the_worker_and_this_process_give_the_same_numbers(toy, grader):
    here, operations = local(Toy, toy), []
    with running(Case()) as case:
        layer = here.build(4, H=2).fill(FILLER)
        layer(X)
        layer.vjp((torch.ones_like(X),), X)
        layer.state()
        layer.shapes()
        layer.after(X + 1)(X)
        here.refuses(4, 3)
    operations = [operation for operation, _ in case.calls]
    worker = grader.box.worker()
    try:
        list(worker.ask([wire.encode({"do": "cell", "source": CELL})], replies=1, seconds=30))
        reply, = worker.ask([calls_request(toy), wire.encode([operations])], replies=1, seconds=30)
    finally:
        worker.kill()
    from autograder.behaviour import same_answer
    for (operation, answer), there in zip(case.calls, checked_answers(reply, len(operations))):
        assert same_answer(answer, there), operation[0]


def test_other_right_parts_are_filled_and_differentiated_under_the_names_that_are_asked(toy):
    ours, theirs = local(Toy, toy).build(4, 2).fill(FILLER), local(OwnParts, toy).build(4, 2).fill(FILLER)
    torch.testing.assert_close(theirs(X), ours(X))
    cotangent = torch.randn(3, 4, dtype=torch.float64)
    (dX,), by_name = ours.vjp((cotangent,), X)
    (dX_theirs,), theirs_by_name = theirs.vjp((cotangent,), X)
    torch.testing.assert_close(dX_theirs, dX)
    torch.testing.assert_close(theirs_by_name, by_name)
    assert theirs.state().keys() == ours.weights.keys() and theirs.shapes()["spare"] == (3,)
    for name, value in ours.state().items():
        assert torch.equal(value, ours.weights[name])


@pytest.mark.parametrize("change, sentence", [
    (lambda self: setattr(self, "norm", None), "no parameter called norm.weight"),
    (lambda self: setattr(self, "norm", nn.LayerNorm(3)), "norm.weight has another shape than (4,)"),
])
def test_parameters_that_do_not_fit_are_named(toy, change, sentence):
    class Changed(Toy):
        def __init__(self, D, H=1):
            super().__init__(D, H)
            change(self)
    with pytest.raises(Mismatch, match="parameter") as caught:
        local(Changed, toy).build(4, 2).fill(FILLER)(X)
    assert sentence in str(caught.value)


def test_a_class_that_is_no_module_is_told_so(toy):
    class Forgotten:
        def __init__(self, D, H=1):
            pass
    with pytest.raises(Mismatch, match="nn.Module"):
        local(Forgotten, toy).build(4)(X)


def test_a_module_with_a_memory_is_seen_by_calling_it_before(toy):
    class Remembers(Toy):
        def forward(self, X, mask=None):
            self.seen = getattr(self, "seen", 0) + 1
            return super().forward(X) * self.seen
    layer = local(Remembers, toy).build(4).fill(FILLER)
    assert not torch.equal(layer(X), layer.after(X)(X)) and torch.equal(layer(X), layer(X))


def test_train_and_eval_mode_are_switched(toy):
    class Drops(Toy):
        def forward(self, X, mask=None):
            return X * 0 + float(self.training)
    layer = local(Drops, toy).build(4)
    assert layer(X).sum() == 0 and layer.training()(X).sum() == X.numel()


def test_the_default_dtype_is_as_before_whatever_the_module_does(toy):
    class Raises(Toy):
        def forward(self, X, mask=None):
            assert torch.zeros(1).dtype is torch.float64
            raise ValueError("no")
    with pytest.raises(StudentRaised, match="no"):
        local(Raises, toy).build(4)(X)
    assert torch.get_default_dtype() is torch.float32


def test_a_given_model_is_built_where_the_function_lives(toy):
    exercise = Exercise("toys.kit.Toy", title="t", returns=lambda model, X: {"Y": floats(X.shape[0], 3)})
    X = torch.eye(2, dtype=torch.float64)
    with running(Case()) as case:
        Y = local(lambda model, X: model(X), exercise)(Given("LinearReadout", 3).fill(FILLER), X)
    assert Y.shape == (2, 3) and Y.abs().sum() > 0
    wire.encode([operation for operation, _ in case.calls])  # plain data only
    shown = counterexample(exercise, Mismatch("values", "Y", "no", "", Y, Y), case, show_expected=True)
    assert shown.call == "Toy(model, X)" and "fill_parameters(LinearReadout(3), 3, 'normal')" in shown.inputs["model"]


@pytest.mark.parametrize("ask", [lambda layer: layer(X), lambda layer: layer.vjp((X,), X), lambda layer: layer.shapes(),
                                 lambda layer: layer.arguments_after(X), lambda layer: layer.after(X).training()(X, mask=None)])
def test_the_lines_that_reproduce_a_module_can_be_run(toy, ask, capsys):
    with running(Case()) as case:
        ask(local(Toy, toy).build(4, H=2).fill(FILLER))
    shown = counterexample(toy, Mismatch("values", "Y", "no"), case, show_expected=True)
    exec("\n".join(shown.reproduce), {"Toy": Toy, "torch": torch, "fill_parameters": fill_parameters})
    assert capsys.readouterr().out and "Toy(4, H=2)" in shown.call


def test_the_stub_of_a_class_gives_init_and_asks_for_the_rest(tmp_path):
    path = tmp_path / "Scale.py"
    path.write_text('class Scale(nn.Module):\n    """Scales."""\n\n    def __init__(self, D):\n        super().__init__()\n        self.g = D\n\n'
                    '    def forward(self, X):\n        """X times g."""\n        return X * self.g\n')
    given, asked = solution_source(path, "Scale"), solution_source(path, "Scale", gives_init=False)
    assert given.count("### BEGIN SOLUTION") == 1 and asked.count("### BEGIN SOLUTION") == 2
    assert "self.g = D\n\n    def forward" in given and '"""X times g."""\n        ### BEGIN SOLUTION\n        return' in given
    compile(given, "given", "exec")
    compile(asked, "asked", "exec")
