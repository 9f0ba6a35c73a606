"""Naming mistakes: one at the desk, where no misconception's code is, and two at once in grading."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache, partial
from textwrap import dedent

import pytest
import torch
from support import ROOT

from autograder.answers import answer_source, filled_in, reference_answers
from autograder.assignment import with_staff_half
from autograder.places import assignments
from autograder.deck import DeckExercise, draw_exercise
from autograder.desk import verdict_at_the_desk
from autograder.judge import judge
from autograder.panel import as_text
from autograder.results import exercise_result
from autograder.untrusted.operations import perform

EXERCISES = {f"{a}.{name}": exercise for a in assignments() for name, exercise in with_staff_half(a, ROOT).items()}


@pytest.mark.parametrize("name", EXERCISES)
def test_at_the_desk_every_mistake_is_named_and_none_by_another_name(name):
    exercise = EXERCISES[name]
    others = {known.tell for known in exercise.misconceptions}
    for known in exercise.misconceptions:
        verdict = verdict_at_the_desk(exercise, known.function)
        if verdict.outcome == "correct":  # hidden checks alone show it
            assert verdict.behaves_like is None
            continue
        if {check.outcome for check in verdict.checks} == {"raised"}:  # as anything else does that raises whenever it is called
            continue
        named = (verdict.behaves_like or "").split(", or like ")
        assert known.tell in named, (known.name, verdict.behaves_like)
        for other in others.intersection(named) - {known.tell}:  # public checks cannot tell the two apart
            assert any(one.tell == other and _alike(exercise, known.function, one.function) for one in exercise.misconceptions)
        assert f"It behaves like {verdict.behaves_like}." in as_text(exercise_result(verdict))


def _alike(exercise, one, other) -> bool:
    shown = [[(check.outcome, check.counterexample) for check in verdict_at_the_desk(exercise, function).checks] for function in (one, other)]
    return shown[0] == shown[1]


@pytest.mark.parametrize("name, change", [("attention.softmax", lambda Y: Y * 1.01), ("attention.simple_attention", lambda Y: (Y[0] + 0.001, Y[1])),
                                          ("positional.rope", lambda Y: Y * 1.0001), ("layernorm.layer_norm", lambda Y: Y + 1e-4)])
def test_a_mistake_that_nobody_foresaw_gets_no_name(name, change):
    exercise = EXERCISES[name]
    verdict = verdict_at_the_desk(exercise, lambda *args, **kwargs: change(exercise.reference.function(*args, **kwargs)))
    assert verdict.outcome == "wrong" and verdict.behaves_like is None


@dataclass(frozen=True)
class Replies:
    """The answers of this process to one check."""

    answers: list[tuple]
    digest: bytes
    right: bool = False

    def decoded(self) -> list[tuple]:
        return self.answers


@lru_cache(maxsize=None)
def deck_of(name: str) -> DeckExercise:
    return draw_exercise(EXERCISES[name], seed=11)


def judged(name: str, function):
    exercise, deck = EXERCISES[name], deck_of(name)

    def ask(operation):
        return perform(function, operation, exercise.context)
    replies = [Replies([ask(operation) for operation in operations], repr((function, number)).encode()) for number, operations in enumerate(deck.operations)]
    return judge(deck, replies, ask, ask)


# A right answer with two mistakes in it, as a student would write it, and the beginning of the two tells.
PAIRS = [
    ("attention.scaled_dot_product_attention", """
        def answer(Q, K, V, mask=None):
            scores = Q @ K.transpose(-1, -2)
            if mask is not None:
                scores = scores.masked_fill(mask.bool(), float("-inf"))
            alpha = torch.nan_to_num(torch.softmax(scores, -1), 0.0)
            return alpha @ V, alpha
        """, "scores that were never divided", "a mask read the other way round"),
    ("attention.scaled_dot_product_attention", """
        def answer(Q, K, V, mask=None):
            scores = Q @ K.mT / Q.shape[-1]
            return torch.softmax(scores, -1) @ V, torch.softmax(scores, -1)
        """, "scores divided by D_k", "a mask that was taken and never used"),
    ("attention.softmax", """
        def answer(Z, dim=-1):
            w = 2 ** (Z - Z.max(dim, keepdim=True)[0])
            return w / w.sum(dim)
        """, "powers of 2", "a sum whose axis was dropped"),
    ("attention.simple_attention", """
        def answer(X):
            alpha = torch.softmax(X @ X.mT / X.shape[-1] ** 0.5, -1)
            return X + alpha @ X, alpha
        """, "scores divided by sqrt(D)", "the token added to its output"),
    ("layernorm.layer_norm", """
        def answer(X, gamma, beta, eps=1e-5):
            mean, var = X.mean(-2, keepdim=True), X.var(-2, correction=1, keepdim=True)
            return gamma * (X - mean) / torch.sqrt(var + eps) + beta
        """, "mean and variance over the tokens", "the unbiased variance"),
    ("layernorm.feed_forward", """
        def answer(X, W_1, b_1, W_2, b_2):
            return torch.relu(X @ W_1) @ W_2 + b_2
        """, "ReLU in place of GELU", "b_1 left out"),
    ("multihead.multi_head_attention", """
        def answer(X, W_q, W_k, W_v, W_o):
            heads = [torch.softmax(X @ q @ (X @ k).mT, -1) @ (X @ v) for q, k, v in zip(W_q, W_k, W_v)]
            return torch.cat(heads[::-1], -1) @ W_o
        """, "scores that were never divided", "heads side by side in reverse order"),
    ("positional.rope", """
        def answer(X, positions=None, L=10000.0):
            if X.shape[-1] % 2:
                raise ValueError("odd")
            n = torch.arange(X.shape[-2]).double() if positions is None else positions.double()
            a = -(n + 1)[:, None] * L ** (-torch.arange(0, X.shape[-1], 2).double() / X.shape[-1])
            x, y = X[..., ::2], X[..., 1::2]
            return torch.stack([x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()], -1).flatten(-2)
        """, "a rotation the other way", "positions that are counted from 1"),
    ("positional.rope_attention", """
        def answer(Q, K, V, positions=None, mask=None, L=10000.0):
            def turned(X):
                n = torch.arange(X.shape[-2]).double() if positions is None else positions.double()
                a = n[:, None] * L ** (-torch.arange(0, X.shape[-1], 2).double() / X.shape[-1])
                x, y = X[..., ::2], X[..., 1::2]
                return torch.stack([x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()], -1).flatten(-2)
            scores = turned(Q) @ K.mT
            if mask is not None:
                scores = scores.masked_fill(~mask.bool(), float("-inf"))
            alpha = torch.softmax(scores, -1).nan_to_num(0.0)
            return alpha @ V, alpha
        """, "queries that are rotated and keys that are not", "scores that were never divided"),
    ("vision.attention_rollout", """
        def answer(alphas):
            R = torch.eye(alphas[0].shape[-1]).double()
            for alpha in alphas:
                R = R @ (alpha[0] / 2 + torch.eye(alpha.shape[-1]).double() / 2)
            return R
        """, "the layers multiplied in the opposite order", "the first head only"),
    ("transformer.TransformerLayer", """
        class answer(reference):
            def forward(self, X, mask=None):
                def attend(Z):
                    if mask is None:
                        return self.attention(Z, Z, Z)[0]
                    hidden = mask.expand(*Z.shape[:-2], Z.shape[-2], Z.shape[-2])
                    nothing = hidden.all(-1, keepdim=True)
                    hidden = hidden & ~nothing
                    hidden = hidden.repeat_interleave(self.attention.num_heads, 0) if Z.dim() == 3 else hidden
                    return torch.where(nothing, self.attention.out_proj.bias, self.attention(Z, Z, Z, attn_mask=hidden)[0])
                if self.pre_norm:
                    X = X + attend(self.norm1(X))
                    return X + self.mlp[2](torch.nn.functional.gelu(self.mlp[0](self.norm2(X))))
                X = self.norm1(X + attend(X))
                return self.norm2(X + self.mlp(X))
        """, "a mask handed to torch as it is", "an MLP with GELU"),
]


@pytest.mark.parametrize("name, source, one, other", PAIRS)
def test_two_mistakes_at_once_are_both_named(name, source, one, other):
    space = {"torch": torch, "reference": EXERCISES[name].reference.function}
    exec(dedent(source), space)
    verdict = judged(name, space["answer"])
    named = (verdict.behaves_like or "").split("; and like ")
    assert len(named) == 2 and {one, other} == {tell for tell in (one, other) if any(n.startswith(tell) for n in named)}, verdict.behaves_like


def test_a_student_who_checks_a_file_without_the_staffs_half_is_told_as_well(tmp_path):
    """In a process of its own, as here the staff's half is loaded already."""
    wrong = {"softmax": "minimum_wins", "causal_mask": "all_true", "simple_attention": "residual_added"}
    known = {name: next(k for k in EXERCISES[f"attention.{name}"].misconceptions if k.name == one) for name, one in wrong.items()}
    answers = {name: answer_source(ROOT / "solutions/attention" / f"{name}.py", one.name, name) for name, one in known.items()}
    release = (ROOT / "release/attention/attention.ipynb").read_text(encoding="utf-8")
    (tmp_path / "attention.ipynb").write_text(filled_in(release, reference_answers(ROOT, "attention") | answers), encoding="utf-8")
    command = [sys.executable, "-m", "autograder.cli", "check", "attention.ipynb", "--least-isolation", "none", "--json", "results.json"]
    subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, timeout=300)
    exercises = json.loads((tmp_path / "results.json").read_text())["submissions"][0]["exercises"]
    named = {exercise["name"]: exercise["behaves_like"] for exercise in exercises}
    assert all(named[name] == one.tell for name, one in known.items()) and not any(named[name] for name in named.keys() - known.keys())


@pytest.mark.parametrize("name, wrong", [
    ("positional.expected_rope_score", lambda offsets, D_k, L=10000.0:
        2 * torch.cos(offsets.double()[..., None] * L ** (-torch.arange(0, D_k + 2, 2, dtype=torch.float64) / D_k)).sum(-1)),
    ("vision.attention_rollout", lambda alphas:
        EXERCISES["vision.attention_rollout"].reference.function(alphas[:max(1, len(alphas) - 1)])),
])
def test_an_agreement_by_chance_is_no_name(name, wrong):
    """One pair too many is a sum over D_k pairs where D_k = 2, a stack without its last layer the first layer where there are two."""
    exercise, deck = EXERCISES[name], deck_of(name)
    assert verdict_at_the_desk(exercise, wrong).behaves_like is None
    answers = [Replies([perform(wrong, operation, exercise.context) for operation in operations], str(number).encode())
               for number, operations in enumerate(deck.operations)]
    ask = partial(perform, wrong, context=exercise.context)
    assert judge(deck, answers, ask, ask).behaves_like is None


@pytest.mark.parametrize("name, wrong", [
    *((name, body) for name in ("attention.causal_mask", "attention.scaled_dot_product_attention", "layernorm.gelu", "vision.attention_rollout")
      for body in ("raise TypeError('x')", "(3).nothing", "torch.zeros(2) @ torch.zeros(3)")),
    ("attention.softmax_jacobian", "return None"), ("transformer.transformer_parameters", "return 0"),
])
def test_an_answer_that_gives_nothing_is_named_after_no_mistake(name, wrong):
    """Many a mistake raises something on some input, or gives 0 for a small model."""
    exercise, deck, space = EXERCISES[name], deck_of(name), {"torch": torch}
    exec(f"def answer(*args, **kwargs):\n    {wrong}", space)
    assert verdict_at_the_desk(exercise, space["answer"]).behaves_like is None
    answers = [Replies([perform(space["answer"], operation, exercise.context) for operation in operations], str(number).encode())
               for number, operations in enumerate(deck.operations)]
    ask = partial(perform, space["answer"], context=exercise.context)
    assert judge(deck, answers, ask, ask).behaves_like is None
