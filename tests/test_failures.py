"""Every kind of failure has a sentence of its own, at the desk and in grading."""

from __future__ import annotations

import pytest
import torch
from support import ROOT, exercise_of

from autograder.assignment import with_staff_half
from autograder.desk import verdict_at_the_desk

HEAD = "def softmax(Z, dim=-1):\n"
RIGHT = "torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))"
REPEATED = "Two equal calls gave different results"
KINDS = {
    "shape": (HEAD + f"    return {RIGHT}.unsqueeze(0)", "has the wrong shape"),
    "type": (HEAD + f"    return {RIGHT}.tolist()", "must be a tensor, and is a list"),
    "nothing returned": (HEAD + f"    Y = {RIGHT}", "is a return statement missing?"),
    "raised": (HEAD + "    return Z.softmx(dim)", "AttributeError was raised in line 2 of the cell: `return Z.softmx(dim)`"),
    "not a number": (HEAD + "    return Z * float('nan')", "holds NaN where a number is expected"),
    "changed": (HEAD + f"    Y = {RIGHT}\n    Z.zero_()\n    return Y", "Z was changed by the call: a line of yours writes into an input"),
    "values": (HEAD + f"    return 1.01 * {RIGHT}", "is not what it should be"),
    "random": (HEAD + f"    return torch.nn.functional.dropout({RIGHT}, 0.5)", REPEATED),
    "a counter": ("calls = 0\n" + HEAD + f"    global calls\n    calls += 1\n    return {RIGHT} + calls / 1000", REPEATED),
    "the last input": ("last = [0.0]\n" + HEAD + f"    last[0], shift = Z.sum(), last[0]\n    return {RIGHT} + shift / 1000", REPEATED),
}
STALE = "cache = {}\n" + HEAD + f"    if Z.shape not in cache:\n        cache[Z.shape] = {RIGHT}\n    return cache[Z.shape]"


@pytest.mark.parametrize("source, said", KINDS.values(), ids=KINDS)
def test_each_kind_of_failure_has_its_own_sentence_in_grading(grade, source, said):
    softmax = exercise_of(grade({"softmax": source}), "softmax")
    messages = [check.message for check in softmax.checks if check.outcome != "correct" and check.visibility == "public"]
    assert messages and any(said in message for message in messages), messages
    assert said == REPEATED or not any(REPEATED in message for message in messages)


@pytest.mark.parametrize("source, said", KINDS.values(), ids=KINDS)
def test_each_kind_of_failure_has_its_own_sentence_at_the_desk(source, said):
    space = {"torch": torch}
    exec(source, space)
    verdict = verdict_at_the_desk(with_staff_half("attention", ROOT)["softmax"], space["softmax"])
    messages = [check.message for check in verdict.checks if check.outcome != "correct"]
    assert messages and any(said.partition(" in line")[0] in message for message in messages), messages
    assert said == REPEATED or not any(REPEATED in message for message in messages)


def test_a_cache_that_gives_old_results_is_told_in_grading(grade):
    """Equal calls in one process agree, old as they are: only a process in which the call is the first shows it."""
    softmax = exercise_of(grade({"softmax": STALE}), "softmax")
    assert any(REPEATED in check.message for check in softmax.checks), [check.message for check in softmax.checks]


def test_every_input_that_is_looked_at_afterwards_is_named_when_it_was_changed():
    """The sentence of a changed input hangs on the words that the checks use."""
    for assignment in ("attention", "layernorm", "multihead", "positional", "transformer", "vision"):
        for path in sorted((ROOT / "autograder/exercises" / assignment).glob("[!_]*.py")):
            text = path.read_text(encoding="utf-8")
            assert text.count("arguments_after(") == 0 or "after the call" in text, path
