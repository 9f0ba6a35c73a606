"""Code that is the same after renaming, names that stay hidden, and what correlations say."""

from __future__ import annotations

import ast
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from smallclass import OWN_WAY, RENAMED
from support import ROOT

from autograder.answers import answer_source
from autograder.assignment import with_staff_half
from autograder.places import assignments
from autograder.example import LINES, anonymous_code
from autograder.items import ENOUGH, in_words, item_rest
from autograder.pseudonym import pseudonyms, scrubber
from autograder.similar import FEW, normal_form, similar_code

LONG_ANSWERS = [source for name in ("rope", "rope_attention", "rotation_matrix") for source in
                [answer_source(ROOT / "solutions/positional" / f"{name}.py", name, name)]] + [OWN_WAY]


def renamed(source: str, words: list[str]) -> str:
    """A source in which every variable and parameter that occurs only as such has another name, layout and comments as `ast` makes them."""
    tree = ast.parse(source)
    own = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
                 | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)})
    new = dict(zip(own, words))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = new.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = new.get(node.arg, node.arg)
    return ast.unparse(tree)


@settings(deadline=None)
@given(st.sampled_from(LONG_ANSWERS), st.permutations([f"word_{number}" for number in range(40)]))
def test_renaming_changes_nothing(source, words):
    assert normal_form(renamed(source, words)) == normal_form(source) is not None


@pytest.mark.parametrize(
    "change",
    [
        ("-0.5", "0.5"),
        ("dim=-1, keepdim=True).values", "dim=-2, keepdim=True).values"),
        ("table - peak", "peak - table"),
        ("torch.exp(", "torch.sin("),
    ],
)
def test_other_code_is_not_the_same(change):
    assert change[0] in OWN_WAY or change[0] == "-0.5"
    assert normal_form(OWN_WAY.replace(*change)) != normal_form(OWN_WAY)


def test_short_answers_and_what_is_no_python_have_no_form():
    assert normal_form("def f(x):\n    return x + 1\n") is None and normal_form("def f(:") is None


def test_no_two_right_answers_of_the_staff_are_taken_for_the_same_unless_they_are():
    for assignment in assignments():
        for name, exercise in with_staff_half(assignment, ROOT).items():
            path = ROOT / "solutions" / assignment / f"{name}.py"
            forms = [normal_form(answer_source(path, one, name)) for one in (name, *(alternate.name for alternate in exercise.alternates))]
            assert len(set(filter(None, forms))) == len(list(filter(None, forms))), name


def test_groups_leave_out_the_staffs_answers_and_what_most_have():
    reference = LONG_ANSWERS[0]
    pair = {"a": OWN_WAY, "b": RENAMED}
    assert [group.students for group in similar_code({"e": pair}, {}).groups] == [("a", "b")]
    assert similar_code({"e": pair}, {"e": [OWN_WAY]}).groups == [] and similar_code({"e": pair}, {"e": [OWN_WAY]}).left_out == {"e": 2}
    most = {str(number): reference for number in range(FEW)} | pair
    found = similar_code({"e": most, "f": pair}, {})
    assert [(group.students, group.exercises) for group in found.groups] == [(("a", "b"), ("e", "f"))] and found.left_out == {"e": FEW}


def test_an_example_has_no_comment_docstring_name_or_path_and_is_bounded():
    source = (
        OWN_WAY + 'HOME = "C:\\\\Users\\\\carolson"\nMAIL = f"{HOME} carol@example.org"\n' + "".join(f"x{n} = {n}\n" for n in range(60))
    )
    code = anonymous_code(source, scrubber(["carolson_1001", "carolson"]))
    assert not re.search("carol|home/|Users", code, re.IGNORECASE) and "peak = torch.where(torch.isfinite(peak)" in code
    assert len(code.splitlines()) == LINES + 1 and code.endswith("more lines)")
    assert anonymous_code("def f(:", str) is None and anonymous_code("x = 1\n" * 9999, str) is None
    started = time.monotonic()
    scrubber(["ada"])("a.b-" * 50_000)
    assert time.monotonic() - started < 20


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_a_comment_never_reaches_an_example(said):
    line = "".join(c for c in said if c.isprintable())
    assert anonymous_code(f"x = 1  # {line}\ny = 2\n", str) == "x = 1\ny = 2"


@pytest.mark.parametrize(
    "text",
    [
        "Only attention.ipynb was graded; there was also ada lovelace.ipynb, my hw.ipynb.",
        "The notebook is called hw of ada.ipynb instead of attention.ipynb; it was graded all the same.",
        "2 notebooks and none is called attention.ipynb (ada 1.ipynb, x/y z.ipynb); rename the one to be graded to attention.ipynb",
        "no notebook was handed in (found ada.docx, b c.pdf); hand in attention.ipynb",
        "see /home/ada/x.py and C:\\Users\\ada\\y and ada@example.org and helper_ada",
    ],
)
def test_names_files_and_paths_are_taken_out(text):
    said = scrubber(["ada", "ada lovelace"])(text)
    assert not re.search(r"\bada|_ada|lovelace|hw|docx|b c|y z|home|Users|@", said), said


@settings(deadline=None)
@given(st.sets(st.text(max_size=8), min_size=1, max_size=20), st.integers(0, 10**9))
def test_pseudonyms_are_stable_different_and_tell_no_order(students, seed):
    named = pseudonyms(seed, students)
    assert len(set(named.values())) == len(students)
    assert all(pseudonyms(seed, [student])[student] == named[student] for student in students)
    assert all(re.fullmatch("student-[0-9a-f]{8,}", name) for name in named.values())


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 40)), max_size=30))
def test_a_correlation_lies_between_its_ends_and_has_words(pairs):
    found = item_rest(pairs)
    assert found is None or -1 <= found <= 1
    assert (found is None) >= (len(pairs) < ENOUGH) and in_words(found, pairs)


def test_what_goes_with_the_rest_separates():
    strong = [(float(n > 10), float(n)) for n in range(20)]
    assert item_rest(strong) > 0.8 and "separates well" in in_words(item_rest(strong), strong)
    assert "other way round" in in_words(item_rest([(1 - a, b) for a, b in strong]), strong)
    assert "all have the same score in it" in in_words(None, [(1.0, n) for n in range(20)])
