"""The doctor's page: for every exercise which check catches which wrong answer, after how many examples, and how far off it was."""

from __future__ import annotations

import math
from html import escape

import plotly.graph_objects as go

from autograder import __version__
from autograder.doctor import totals
from autograder.exercise import PUBLIC
from autograder.soundness import MISCONCEPTION, MUTANT, SPARE, Soundness, Wrong

_STYLE = """body{font:16px/1.45 system-ui,sans-serif;color:#111;background:#fff;margin:0 auto;max-width:75em;padding:1em}
table{border-collapse:collapse;margin:.6em 0;font-size:.92em}th,td{padding:.2em .7em;border-bottom:1px solid #ccc;text-align:right}
th:first-child,td:first-child{text-align:left}h2{margin-top:2.2em;border-top:1px solid #ccc;padding-top:1em}
nav a{margin-right:.8em;white-space:nowrap}.scroll{overflow-x:auto}code{overflow-wrap:anywhere}li{margin:.2em 0}"""
_SCALE = [[0.0, "#08306b"], [0.5, "#4292c6"], [1.0, "#c6dbef"]]  # one hue, dark is early: read without telling colours apart


def page_text(sound: list[Soundness], findings: list[str]) -> str:
    """The whole page as one self-contained HTML file."""
    parts = [f"<h1>What the checks catch</h1><p>Kit {__version__}. Every wrong answer was held against every check on decks of several seeds.</p>",
             _summary(sound), _findings(findings),
             "<nav>" + "".join(f'<a href="#{_anchor(one)}">{escape(one.exercise)}</a>' for one in sound) + "</nav>"]
    parts += [_exercise(one, with_script=number == 0) for number, one in enumerate(sound)]
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>What the checks catch</title><style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n")


def _summary(sound: list[Soundness]) -> str:
    rows = []
    for kind, what in ((MISCONCEPTION, "known wrong answers"), (MUTANT, "mutants of the references")):
        (caught, total), (public, _) = (totals(sound, kind, public_only=only) for only in (False, True))
        rows.append((what, total, caught, f"{public} ({public / max(1, total):.1%})"))
    right = sum(len(one.right) for one in sound)
    worst = max((off for one in sound for off in one.right.values()), default=0.0)
    return _table(("", "how many", "caught", "by public checks alone"), rows) + (
        f"<p>{right} right answers pass; the furthest is {worst:.3f} of the tolerance away from the reference. "
        f"{sum(len(one.equivalents) for one in sound)} mutants change nothing that is asked for; why is said below.</p>")


def _findings(findings: list[str]) -> str:
    if not findings:
        return "<p><b>Nothing is wrong.</b></p>"
    return f"<h2>What is wrong ({len(findings)})</h2><ul>" + "".join(f"<li><code>{escape(one)}</code></li>" for one in findings) + "</ul>"


def _exercise(one: Soundness, *, with_script: bool) -> str:
    checks = [(check.name, check.visibility, check.drawn, check.needed or "–", check.alone) for check in one.checks]
    parts = [f'<h2 id="{_anchor(one)}">{escape(one.assignment)}: {escape(one.exercise)}</h2>',
             _table(("check", "seen by students", "examples drawn", f"needed by its own misconceptions ({SPARE} times as many are drawn at least)",
                     "wrong answers that no other public check catches"), checks),
             "<p>Below, a number is the example at which a check fails the answer, at the latest over the seeds; where there is none, the answer passes.</p>",
             '<div class="scroll">', _matrix(one).to_html(full_html=False, include_plotlyjs=with_script, config={"displayModeBar": False}), "</div>"]
    if one.equivalents:
        parts.append("<p>Mutants that are no wrong answers:</p><ul>" + "".join(
            f"<li><code>{escape(change)}</code>: {escape(because)}</li>" for change, because in one.equivalents.items()) + "</ul>")
    return "".join(parts)


def _matrix(one: Soundness) -> go.Figure:
    """Wrong answers downwards, checks across; a cell says after how many examples the check failed the answer on every seed."""
    wrong = sorted(one.wrong, key=lambda wrong: wrong.kind == MUTANT)
    names = [check.name for check in one.checks]
    cells = [[_cell(answer, name) for name in names] for answer in wrong]
    figure = go.Figure(go.Heatmap(
        z=[[None if cell is None else math.log2(cell[0]) for cell in row] for row in cells], x=[_head(one, name) for name in names],
        y=[f"{number}. {_short(answer)}" for number, answer in enumerate(wrong, 1)], colorscale=_SCALE, zmin=0, zmax=4, xgap=1, ygap=1,
        text=[["" if cell is None else str(cell[0]) for cell in row] for row in cells], texttemplate="%{text}",
        customdata=[[_hover(answer, cell) for cell in row] for answer, row in zip(wrong, cells)], hovertemplate="%{x}<br>%{customdata}<extra></extra>",
        colorbar={"title": "first failing example", "tickvals": [0, 1, 2, 3, 4], "ticktext": ["1", "2", "4", "8", "16 and later"], "len": 300,
                  "lenmode": "pixels", "yanchor": "top", "y": 1}))
    figure.update_layout(height=230 + 17 * len(wrong), width=620 + 42 * len(names), margin={"l": 460, "t": 200, "r": 20, "b": 10}, plot_bgcolor="#fff",
                         font={"size": 11, "color": "#111"}, xaxis={"side": "top", "tickangle": -60, "showgrid": False},
                         yaxis={"autorange": "reversed", "showgrid": False, "dtick": 1})
    return figure


def _cell(answer: Wrong, check: str) -> tuple[int, float] | None:
    example, margin = answer.kills.get(check, (0, 0.0))
    return (example, margin) if example else None


def _head(one: Soundness, name: str) -> str:
    check = next(check for check in one.checks if check.name == name)
    short = name.replace("_", " ")
    return (short if len(short) < 38 else short[:36] + "…") + ("" if check.visibility == PUBLIC else " (hidden)")


def _short(answer: Wrong) -> str:
    text = answer.tell if answer.kind == MISCONCEPTION else answer.tell.partition(" -> ")[2]
    return escape(text if len(text) < 70 else text[:68] + "…")


def _hover(answer: Wrong, cell: tuple[int, float] | None) -> str:
    if cell is None:
        return escape(answer.tell) + "<br>passes, or fails on some seeds only"
    off = "no number was compared" if cell[1] == math.inf else f"{cell[1]:.0f} tolerances off"
    return f"{escape(answer.tell)}<br>fails at example {cell[0]}; {off}"


def _table(head: tuple, rows: list[tuple]) -> str:
    def row(cells: tuple, kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{escape(str(cell))}</{kind}>" for cell in cells) + "</tr>"
    return f'<div class="scroll"><table>{row(head, "th")}{"".join(row(cells, "td") for cells in rows)}</table></div>'


def _anchor(one: Soundness) -> str:
    return f"{one.assignment}-{one.exercise}"
