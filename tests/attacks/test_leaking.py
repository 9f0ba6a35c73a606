"""Attacks that carry hidden inputs out: what a student reads afterwards must not hold one."""

import pytest

STASH = "SEEN = []\ndef softmax(Z, dim=-1):\n    SEEN.append(Z.tolist())\n    {}\n"
RIGHT = "w = torch.exp(Z - Z.max(dim=dim, keepdim=True).values); return w / w.sum(dim=dim, keepdim=True)"
FAR = ("min((Z for Z in SEEN if torch.tensor(Z).max() > 5e3 and torch.tensor(Z).min() < -5e3 and torch.tensor(Z).frac().any()), "
       "key=lambda Z: len(str(Z)), default='')")
FORGE = STASH.format(RIGHT) + """
from autograder.untrusted import worker
true = worker.operations.perform
def forged(f, op):
    if f.__name__ != 'softmax':
        return true(f, op)
    SEEN.append(op[1][0].tolist())
    return {}
worker.operations.perform = forged
"""


def assert_not_shown(attacked, hidden_inputs) -> None:
    """No hidden input's list of numbers occurs in the report or the notebook."""
    flat = "".join(attacked.text.split())
    shown = [text for text in hidden_inputs if "".join(text.split()) in flat]
    assert hidden_inputs and not shown


@pytest.mark.parametrize("source", [
    ("print(SEEN)"),
    ("SEEN"),
    (f"raise ValueError({FAR})"),
    ("from IPython.display import display\ndisplay({'text/plain': repr(SEEN)}, raw=True)"),
    ("import linecache\nname = '<ipython-input-9-x>'\ntext = repr(" + FAR + ")\n"
         "linecache.cache[name] = (len(text), None, [text], name)\nexec(compile('raise ValueError', name, 'exec'))"),
], ids=["printed", "displayed", "error", "display_data", "forged_line"])
def test_by_a_later_cell(attack, hidden_inputs, source):
    """A right answer remembers its inputs, and a cell after the check shows them."""
    assert_not_shown(attack({"softmax": STASH.format(RIGHT)}, cells=(source,)), hidden_inputs)


@pytest.mark.parametrize("answer", [
    (STASH.format(f"raise ValueError({FAR})")),
    (STASH.format(f"raise type('E', (Exception,), {{}})({FAR})")),
    (STASH.format("import linecache; name = '<ipython-input-9-x>'; text = repr(" + FAR + ")\n"
                                 "    linecache.cache[name] = (len(text), None, [text], name)\n    exec(compile('raise ValueError', name, 'exec'))")),
    (FORGE.format(f"('unsupported', repr({FAR}))")),
    (FORGE.format(f"('raised', 'ValueError', '', 1, repr({FAR}))")),
    (FORGE.format(f"('limit', repr({FAR})) if {FAR} else true(f, op)")),
    FORGE.format(f"('raised', repr({FAR}), '', 1, '')"),
    STASH.format("return Z * 0 + 7"),
    STASH.format("raise type(repr(Z)[:40], (Exception,), {})()"),
    STASH.format("print(Z.tolist()); return Z"),
    STASH.format("import sys; print(Z.tolist(), file=sys.__stderr__); return Z"),
    STASH.format("import warnings; warnings.warn(repr(Z.tolist())); return Z"),
], ids=["message", "own_exception", "line_text", "unsupported", "forged_line", "forged_limit", "forged_name", "wrong_values",
        "type_name", "printed", "stderr", "warning"])
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
