"""A reply that says what the reference says, told from its bytes: nothing else may pass for it."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.agreement import NOTHING, ROUNDING, expected_reply
from autograder.assignment import with_staff_half
from autograder.deck import draw_exercise, replay
from autograder.places import assignments
from autograder.replies import CheckAnswers
from autograder.untrusted import wire
from autograder.untrusted.operations import STATE, perform
from support import ROOT

ENTRIES = st.floats(-1e6, 1e6)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=3),
              st.lists(ENTRIES, max_size=5).map(lambda entries: torch.tensor(entries, dtype=torch.float64)),
              st.lists(ENTRIES, max_size=5).map(lambda entries: torch.tensor(entries, dtype=torch.float32)),
              st.lists(st.booleans(), max_size=9).map(torch.tensor), st.lists(st.integers(-9, 9), max_size=3).map(torch.tensor)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(st.text(max_size=2), inner, max_size=2)), max_leaves=6)


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [tensor for item in items for tensor in tensors(item)]


@given(st.lists(VALUES.map(lambda value: ("value", value)), max_size=4), st.data())
def test_a_reply_agrees_up_to_rounding_and_no_further(answers, data):
    payload = wire.encode(answers)
    expected = expected_reply(answers)
    assert expected.agrees(payload) and expected.agrees(bytearray(payload))
    assert not expected.agrees(payload + b"\0" * wire.ALIGN) and not expected.agrees(payload[:-1])
    filled = [tensor for tensor in tensors(answers) if tensor.numel()]
    if filled:
        tensor = data.draw(st.sampled_from(filled))
        place = data.draw(st.integers(0, tensor.numel() - 1))
        if tensor.dtype is torch.float64:
            size = ROUNDING * (1 + abs(float(tensor[place]))) if tensor[place] else NOTHING
            for shift, close in ((0.4 * size, True), (3 * size, False), (float("nan"), False), (float("inf"), False)):
                before = tensor[place].clone()
                tensor[place] += shift
                assert expected.agrees(wire.encode(answers)) is close
                tensor[place] = before
        else:
            tensor[place] = ~tensor[place] if tensor.dtype is torch.bool else tensor[place] + 1
            assert not expected.agrees(wire.encode(answers))


@pytest.mark.parametrize("other", [torch.ones(2, 3, dtype=torch.float32), torch.ones(3, 2, dtype=torch.float64), [[1.0] * 3] * 2, None,
                                   torch.ones(2, 3, dtype=torch.float64, requires_grad=True).sum().detach()])
def test_another_form_of_the_same_numbers_is_left_to_the_checks(other):
    assert not expected_reply([("value", torch.ones(2, 3, dtype=torch.float64))]).agrees(wire.encode([("value", other)]))


def test_infinities_agree_with_themselves_only():
    blocked = torch.tensor([0.0, float("-inf"), float("nan")], dtype=torch.float64)
    expected = expected_reply([("value", blocked)])
    assert expected.agrees(wire.encode([("value", blocked.clone())]))
    for place, value in ((1, float("inf")), (1, -1e300), (2, 0.0), (0, float("-inf"))):
        other = blocked.clone()
        other[place] = value
        assert not expected.agrees(wire.encode([("value", other)]))


@pytest.mark.parametrize("assignment", assignments())
def test_the_reference_passes_what_it_stands_for(assignment):
    """What is not run for a reply that agrees would have found nothing to say: neither a failure nor a remark."""
    for exercise in with_staff_half(assignment, ROOT).values():
        deck = draw_exercise(exercise, seed=5)
        reference = exercise.reference.function
        for check in deck.checks:
            for index, case in enumerate(check.cases):
                error, ran = replay(check, index, exercise, case.answers, lambda operation: perform(reference, operation, exercise.context))
                assert error is None and not ran.remarks
        for expected, numbers in zip(deck.expected, deck.plan(0, ()), strict=True):
            operations = [deck.unique[number] for number in numbers]
            random = any(operation[0] == STATE for operation in operations)  # initial parameters
            assert random or expected.agrees(wire.encode([perform(reference, operation, exercise.context) for operation in operations]))


@pytest.mark.parametrize("assignment", assignments())
def test_no_known_mistake_agrees(assignment):
    """Every misconception fails some check of the deck, and that check is among those whose replies do not agree."""
    for exercise in with_staff_half(assignment, ROOT).values():
        deck = draw_exercise(exercise, seed=5)
        for wrong in exercise.misconceptions:
            replies = [wire.encode([perform(wrong.function, deck.unique[number], exercise.context) for number in numbers]) for numbers in deck.plan(0, ())]
            assert not all(expected.agrees(reply) for expected, reply in zip(deck.expected, replies, strict=True)), wrong.name


def test_without_a_recording_nothing_is_taken_for_right():
    assert not CheckAnswers([]).right
