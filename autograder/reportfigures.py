"""The figures of the class report, as plotly sees them: numbers and the kit's own words only, never a student's text.

Nothing is told by colour alone: bars carry their numbers. Labels stand above their bars, so that a narrow screen has room for both.
"""

from __future__ import annotations

from typing import Any

from autograder.classreport import ClassReport
from autograder.figures.parts import COLOURS
from autograder.sheets import number

BINS = 12
DAY = 24.0
HOURS = (
    (7 * DAY, None, "a week or more before"),
    (3 * DAY, 7 * DAY, "3 to 7 days before"),
    (DAY, 3 * DAY, "1 to 3 days before"),
    (6.0, DAY, "6 to 24 hours before"),
    (1.0, 6.0, "1 to 6 hours before"),
    (0.0, 1.0, "in the last hour"),
    (None, 0.0, "after it was due"),
)

FEW = 5  # submissions, of which no quartiles are told


def score_bins(report: ClassReport) -> list[tuple[str, int]]:
    """How many have a score in each of a dozen ranges; the last one holds its upper end."""
    width = report.most / BINS or 1.0
    counts = [0] * BINS
    for person in report.graded:
        counts[min(BINS - 1, max(0, int(person.score / width + 1e-9)))] += 1
    ends = [round(place * width, 1) for place in range(BINS + 1)]
    return [(f"{number(low)}–{number(high)}", count) for low, high, count in zip(ends, ends[1:], counts)]


def time_bins(report: ClassReport) -> list[tuple[str, int]]:
    """How many handed in how long before the date due."""
    hours = [person.hours for person in report.people if person.hours is not None]
    return [(words, sum((low is None or hour >= low) and (high is None or hour < high) for hour in hours)) for low, high, words in HOURS]


def report_figures(report: ClassReport) -> dict[str, dict[str, Any]]:
    """Every figure by the id of its place on the page."""
    figures = {"scores": _upright(score_bins(report), f"points of {number(report.most)}", "submissions")} if report.graded else {}
    if report.items:
        figures["exercises"] = _lying([(item.name, item.rate) for item in report.items])
    if any(person.hours is not None for person in report.people):
        figures["times"] = _upright(time_bins(report), "", "submissions")
    return figures


def _upright(bars: list[tuple[str, int]], across: str, up: str) -> dict[str, Any]:
    """Upright bars with their numbers on top."""
    labels, counts = zip(*bars)
    trace = {"type": "bar", "x": labels, "y": counts, "text": [str(count) if count else "" for count in counts], "textposition": "outside",
             "marker": {"color": COLOURS[0]}, "hovertemplate": "%{x}: %{y}<extra></extra>", "cliponaxis": False}
    layout = _layout(340) | {
        "bargap": 0.08,
        "xaxis": _axis(title=across, type="category", tickangle=-45),
        "yaxis": _axis(title=up, rangemode="tozero", range=[0, max(counts) * 1.15 + 0.5], gridcolor="#ddd", tickformat="d"),
    }
    return {"data": [trace], "layout": layout}


def _lying(rows: list[tuple[str, float]]) -> dict[str, Any]:
    """Lying bars from 0 to 100 %, one row each with its label above."""
    trace = {"type": "bar", "orientation": "h", "y": list(range(len(rows))), "x": [rate for _, rate in rows], "width": 0.42,
             "marker": {"color": COLOURS[0]}, "hovertemplate": "%{x:.0%}<extra></extra>"}
    labels = [{"x": 0, "y": place - 0.42, "xref": "x", "yref": "y", "xanchor": "left", "yanchor": "middle", "showarrow": False,
               "text": f"{_short(name)}  <b>{rate:.0%}</b>", "font": {"size": 12}} for place, (name, rate) in enumerate(rows)]
    layout = _layout(60 + 40 * len(rows)) | {
        "annotations": labels,
        "xaxis": _axis(range=[0, 1], tickformat=".0%", dtick=0.25, gridcolor="#ddd"),
        "yaxis": _axis(range=[len(rows) - 0.6, -0.8], visible=False),
    }
    layout["margin"] |= {"l": 8, "r": 24}
    return {"data": [trace], "layout": layout}


def _short(text: str, most: int = 52) -> str:
    """A title of the course's own, short enough for a narrow screen, with no sign that plotly would take for markup."""
    text = text.replace("<", "‹").replace(">", "›").replace("$", "＄")
    return text if len(text) <= most else text[:most - 2] + " …"


def _axis(**options: Any) -> dict[str, Any]:
    title = options.pop("title", "")
    return {
        "fixedrange": True,
        "automargin": True,
        "zeroline": False,
        **({"title": {"text": title, "standoff": 12}} if title else {}),
        **options,
    }


def _layout(height: int) -> dict[str, Any]:
    return {
        "height": height,
        "margin": {"l": 48, "r": 12, "t": 12, "b": 40},
        "paper_bgcolor": "#fff",
        "plot_bgcolor": "#fff",
        "showlegend": False,
        "font": {"size": 13, "color": "#111", "family": "system-ui, sans-serif"},
        "autosize": True,
        "dragmode": False,
    }
