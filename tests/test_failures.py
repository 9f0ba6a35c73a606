"""Every kind of failure has a sentence of its own, at the desk and in grading."""

from __future__ import annotations

import pytest
import torch
from support import ROOT, exercise_of

from autograder.assignment import with_staff_half
from autograder.case import Case
from autograder.compare import Mismatch
from autograder.desk import verdict_at_the_desk
from autograder.explore import PUBLIC_SEED, draw_cases, seed_of
from autograder.judge import SEEDS_TRIED
from autograder.untrusted.operations import _home, describe_error, perform
from autograder.verdict import _of_nan

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


def test_numbers_that_differ_little_are_told_in_digits_that_show_it(grade):
    softmax = exercise_of(grade({"softmax": HEAD + f"    return {RIGHT} * (1 + 2e-5)"}), "softmax")
    check = next(check for check in softmax.checks if check.name == "weights_are_exponentials_over_their_sum")
    expected, got = check.message.partition("expected ")[2].partition(" at ")[0].partition(";")[0].split(", got ")
    assert expected != got and check.counterexample.expected != check.counterexample.got, check


def test_a_check_of_the_inputs_that_fails_for_something_else_does_not_ask_which_line_writes_into_them(grade):
    softmax = exercise_of(grade({"softmax": HEAD + "    return torch.zeros_like(Z)"}), "softmax")
    beside = next(check for check in softmax.checks if check.name == "the_input_stays_as_it_was")
    assert beside.hint == "" and "is looked at once this is right" in beside.message
    changed = exercise_of(grade({"softmax": HEAD + f"    Y = {RIGHT}\n    Z.zero_()\n    return Y"}), "softmax")
    assert next(check for check in changed.checks if check.name == "the_input_stays_as_it_was").hint


def test_of_nan_no_property_is_told_to_fail():
    """"The layer hands its input on unchanged (the result holds NaN)" contradicts itself."""
    said = _of_nan(Mismatch("truth", "Y", "the layer hands its input on unchanged"), Case(calls=[(None, ("value", torch.tensor([torch.nan])))]))
    assert "holds NaN" in said.sentence and "unchanged" not in said.sentence


def test_a_mask_of_zero_and_minus_infinity_is_not_said_to_hold_0_and_1(grade):
    mask = exercise_of(grade({"causal_mask": "def causal_mask(N):\n    return torch.full((N, N), -torch.inf).triu(1)"}), "causal_mask")
    assert mask.outcome == "wrong" and not any("holds 0 and 1" in remark for remark in mask.remarks)


def test_what_fails_on_few_inputs_is_shown_on_a_public_one_all_the_same(grade, grader):
    """An answer that is wrong for one shape, which is in the deck, in no small case and not among the inputs of the desk."""
    check = next(check for check in grader.decks["softmax"].checks if check.check.name == "weights_are_exponentials_over_their_sum")
    seeds = [seed_of(PUBLIC_SEED, "attention", "softmax", check.check.name, *more) for more in ((), *([number] for number in range(1, SEEDS_TRIED)))]
    desk, *others = [{tuple(case["Z"].shape) for case in draw_cases(check.check, seed=seed)} for seed in seeds]
    shape = max(({tuple(case.drawn["Z"].shape) for case in check.cases} & set().union(*others)) - desk, key=lambda shape: (len(shape), shape))
    softmax = exercise_of(grade({"softmax": HEAD + f"    return {RIGHT} + (Z.shape == {shape}) / 10"}), "softmax")
    failing = next(one for one in softmax.checks if one.name == check.check.name)
    assert failing.outcome == "wrong" and failing.counterexample is not None, failing


def test_the_line_of_the_answer_is_told_where_a_given_function_raises():
    space: dict = {}
    for name, source in (("<ipython-input-1-given>", "def given(x):\n    return x + None"),
                         ("<ipython-input-2-own>", "def half(x):\n    return given(x)\ndef answer(x):\n\n    return half(x)\nclass Layer:\n    def forward(self, x):\n        return given(x)")):
        exec(compile(source, name, "exec"), space)
    assert perform(space["answer"], ("call", (1,), {}, None), {"given": ""})[3] == 2
    with pytest.raises(TypeError) as raised:
        space["Layer"]().forward(1)
    assert describe_error(raised.value, home=_home(space["Layer"]))[3] == 8 and describe_error(raised.value)[3] == 2


def test_an_error_in_a_hidden_check_is_told_in_words_of_ours(grade):
    softmax = exercise_of(grade({"softmax": HEAD + "    Z -= Z.amax(dim, keepdim=True)\n    return torch.exp(Z) / torch.exp(Z).sum(dim + 7 * Z.requires_grad, keepdim=True)"}), "softmax")
    said = next(check.message for check in softmax.checks if check.name == "the_gradient_is_right")
    assert said.startswith("IndexError was raised in line 3 of the cell. An index or an axis was asked for"), said
