"""The panel: heat maps for public checks only, readable without colours, without scripts, and never of hidden numbers."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
import torch
from support import ROOT, exercise_of

from autograder.answers import answer_source
from autograder.assignment import with_staff_half
from autograder.case import Case
from autograder.compare import Mismatch, assert_close
from autograder.counterexample import counterexample
from autograder.desk import check, verdict_at_the_desk
from autograder.heatmap import heat_maps
from autograder.panel import as_html
from autograder.rendering import literal, render
from autograder.results import MapsResult, exercise_result

SOFTMAX = with_staff_half("attention", ROOT)["softmax"]


def maps(got, expected, **more) -> MapsResult:
    return MapsResult(**({"index": [], "row": 0, "column": 0, "worst": [0, 1], "got": got, "expected": expected} | more))


class Balanced(HTMLParser):
    """Fails where a tag is not closed in its place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_failing_matrix_is_drawn_with_its_numbers_in_words_as_well():
    verdict = verdict_at_the_desk(SOFTMAX, next(known.function for known in SOFTMAX.misconceptions if known.name == "clamped"))
    result = exercise_result(verdict)
    drawn = [check for check in result.checks if check.counterexample and check.counterexample.maps]
    assert drawn, "a matrix that is wrong should be drawn"
    html = as_html(result)
    assert html.count('role="img"') == 3 * len(drawn) and "heat map of got minus expected: row 0:" in html
    assert "<script" not in html and "<style" not in html and "print-color-adjust:exact" in html
    parser = Balanced()
    parser.feed(html)
    assert not parser.open


def test_got_and_expected_share_their_colours_and_the_difference_is_around_white():
    html = heat_maps(maps([["1", "4"], ["2", "0"]], [["1", "2"], ["4", "0"]]))
    cells = re.findall(r"background:(#\w+);color:#\w+\">([^<]+)<", html)
    colours = [dict((text, colour) for colour, text in cells[i:i + 4]) for i in (0, 4, 8)]
    assert colours[0]["4"] == colours[1]["4"] and colours[0]["1"] == colours[1]["1"] != colours[0]["4"]
    assert colours[2]["0"] == "#f7f7f7" and colours[2]["+2"] == "#2166ac" and colours[2]["-2"] == "#b2182b"
    assert html.count("outline:2px") == 3


@pytest.mark.parametrize("numbers", [["nan", "inf", "-inf"], ["0", "0", "0"], ["1e+30", "-1e-30", "5"]])
def test_odd_numbers_are_drawn(numbers):
    html = heat_maps(maps([numbers], [["1", "2", "3"]]))
    assert html.count("<td") == 9 and numbers[0] in html


def test_every_cell_can_be_read():
    """Contrast of text and ground, at least 4.5 : 1 as WCAG asks of small text."""
    rows = [[str(i / 5 + j) for j in range(6)] for i in range(6)]
    html = heat_maps(maps(rows, [[f"-{x}" for x in row] for row in rows]))
    for ground, ink in re.findall(r"background:(#\w{6});color:(#\w+)", html):
        light, dark = sorted((luminance(ground), luminance(ink)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ground, ink)


def luminance(colour: str) -> float:
    text = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(text[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_hidden_checks_are_never_drawn(grade):
    for name in ("minimum_wins", "sigmoid", "half_precision"):
        source = answer_source(ROOT / "solutions/attention/softmax.py", name, "softmax")
        checks = exercise_of(grade({"softmax": source}), "softmax").checks
        hidden = [c for c in checks if c.visibility == "hidden" and c.counterexample is not None]
        assert hidden and all(c.counterexample.maps is None and c.counterexample.expected is None for c in hidden)


def large_mismatch(where: tuple[int, ...]) -> Mismatch:
    expected = torch.arange(2 * 9 * 12, dtype=torch.float64).reshape(2, 9, 12)
    got = expected.clone()
    got[where] += 500
    with pytest.raises(Mismatch) as caught:
        assert_close(got, expected, what="softmax(Z)")
    return caught.value


@pytest.mark.parametrize("where, said", [((1, 8, 11), "in [1] rows 3 to 8, columns 6 to 11 of 2 × 9 × 12"),
                                         ((0, 0, 0), "in [0] rows 0 to 5, columns 0 to 5 of 2 × 9 × 12")])
def test_of_a_large_result_the_part_is_shown_where_it_differs_most(where, said):
    error = large_mismatch(where)
    case = Case(calls=[(("call", (torch.zeros(2, 9, 12),), {}, None), ("value", error.got))])
    example = counterexample(SOFTMAX, error, case, show_expected=True)
    assert said in example.got and said in example.expected and example.returned is None
    assert f"{error.got[where].item():.0f}." in example.got
    assert len(example.maps.got) == len(example.maps.got[0]) == 6
    row, column = example.maps.worst
    assert float(example.maps.got[row][column]) == pytest.approx(error.got[where].item(), rel=1e-3)
    assert counterexample(SOFTMAX, error, case, show_expected=False).maps is None


def test_lines_to_paste_are_short_and_the_same_numbers():
    X = torch.tensor([[1.0, -2.0, 0.25], [10.0, float("inf"), -0.0]], dtype=torch.float64)
    assert literal(X) == "torch.tensor([[1., -2., 0.25], [10., float('inf'), -0.]], dtype=torch.float64)"
    assert torch.equal(eval(literal(X)), X)
    assert render(X).endswith("(2 × 3)")


def test_only_nbgrader_is_told_of_a_failure_on_stderr(monkeypatch, capsys):
    """It takes stderr for failure, in validation and in grading; under a student's panel the line would only be red."""
    wrong = answer_source(ROOT / "solutions/attention/softmax.py", "one_global_maximum", "softmax")
    exec(compile(wrong, "answer", "exec"), names := {"torch": torch})
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    check(names["softmax"])
    shown = capsys.readouterr()
    assert "5 of 6 checks hold" in shown.out and shown.err == ""
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    check(names["softmax"])
    assert "5 of 6 checks hold" in capsys.readouterr().err
    check(SOFTMAX.reference.function)
    assert capsys.readouterr().err == ""
