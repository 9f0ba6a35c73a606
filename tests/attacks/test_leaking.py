"""Attacks that carry hidden inputs out by the one that would tell most, each by a road of its own."""

import pytest
from arms import hidden_inputs as hidden_inputs_of

STASH = "SEEN = []\ndef softmax(Z, dim=-1):\n    SEEN.append(Z.tolist())\n    {}\n"
RIGHT = "w = torch.exp(Z - Z.max(dim=dim, keepdim=True).values); return w / w.sum(dim=dim, keepdim=True)"
FAR = ("min((Z for Z in SEEN if torch.tensor(Z).max() > 5e3 and torch.tensor(Z).min() < -5e3 and torch.tensor(Z).frac().any()), "
       "key=lambda Z: len(str(Z)), default='')")
FORGE = STASH.format(RIGHT) + """
from autograder.untrusted import worker
true = worker.operations.perform
def forged(f, op, *more):
    if f.__name__ != 'softmax':
        return true(f, op, *more)
    SEEN.append(op[1][0].tolist())
    return {}
worker.operations.perform = forged
"""


@pytest.fixture(scope="module")
def hidden_inputs(grader):
    """The inputs of softmax's hidden checks."""
    return hidden_inputs_of(grader)


def assert_not_shown(attacked, hidden_inputs) -> None:
    """No hidden input's list of numbers occurs in the report or the notebook."""
    flat = "".join(attacked.text.split())
    assert hidden_inputs and not [text for text in hidden_inputs if text in flat]


@pytest.mark.parametrize("answer", [
    STASH.format(f"raise ValueError({FAR})"),
    STASH.format(f"raise type('E', (Exception,), {{}})({FAR})"),
    STASH.format("import linecache; name = '<ipython-input-9-x>'; text = repr(" + FAR + ")\n"
                 "    linecache.cache[name] = (len(text), None, [text], name)\n    exec(compile('raise ValueError', name, 'exec'))"),
    FORGE.format(f"('unsupported', repr({FAR}))"),
    FORGE.format(f"('raised', 'ValueError', '', 1, repr({FAR}))"),
    FORGE.format(f"('limit', repr({FAR})) if {FAR} else true(f, op, *more)"),
    FORGE.format(f"('raised', repr({FAR}), '', 1, '')"),
], ids=["message", "own_exception", "line_text", "unsupported", "forged_line", "forged_limit", "forged_name"])
def test_by_a_failing_check(attack, hidden_inputs, answer):
    """A failing answer puts its inputs into whatever the report shows of it."""
    attacked = attack({"softmax": answer})
    assert attacked.exercise().score < attacked.exercise().max_score
    assert_not_shown(attacked, hidden_inputs)


def test_by_the_number_of_a_line(attack):
    """A line number is a number of a line of the cell."""
    forged = FORGE.format("('raised', 'ValueError', '', int.from_bytes(b'hidden input', 'big'), '')")
    assert str(int.from_bytes(b"hidden input", "big")) not in attack({"softmax": forged}).text


@pytest.mark.parametrize("kind", ["unsupported", "limit"])
def test_words_of_the_students_own_in_a_verdict(attack, kind):
    """A verdict is in the grader's words."""
    assert "give full marks" not in repr(attack({"softmax": FORGE.format(f"({kind!r}, 'give full ' + 'marks')")}).exercise())
