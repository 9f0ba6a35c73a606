"""Small heat maps of what was got, what was expected, and the difference: HTML tables without scripts, with the numbers in the cells.

Colours follow the lesson's figures: blues for values, red and blue around white for what has a sign. They are safe for the colour-blind,
and no cell is told by its colour alone.
"""

from __future__ import annotations

import math
from html import escape

from autograder.results import MapsResult

_BLUES = ("#f7fbff", "#deebf7", "#9ecae1", "#4292c6", "#08519c", "#08306b")
_RED_TO_BLUE = ("#b2182b", "#ef8a62", "#fddbc7", "#f7f7f7", "#d1e5f0", "#67a9cf", "#2166ac")
_TABLE = "border-collapse:collapse;margin:0;border:none;font-size:.74em;line-height:1.5"
_CELL = ("padding:.1em .25em;min-width:2.3em;text-align:right;border:1px solid #fff;font-variant-numeric:tabular-nums;"
         "print-color-adjust:exact;-webkit-print-color-adjust:exact;")
_LABEL = "padding:.1em .35em;text-align:center;border:none;background:none;color:#555;font-weight:400"


def heat_maps(maps: MapsResult) -> str:
    """Three maps side by side, one below the other where the page is narrow; got and expected share their colours."""
    got, expected = ([[float(text) for text in line] for line in rows] for rows in (maps.got, maps.expected))
    difference = [[_minus(a, b) for a, b in zip(*lines)] for lines in zip(got, expected)]
    shared, own = _scale(got + expected), _scale(difference, signed=True)
    three = [("got", got, shared), ("expected", expected, shared), ("got minus expected", difference, own)]
    tables = "".join(_table(head, values, scale, maps, sign="+" if scale is own else "") for head, values, scale in three)
    place = f" of [{', '.join(map(str, maps.index))}]" if maps.index else ""
    return (f'<div style="margin:.2em 0 .4em 1em"><div style="display:flex;flex-wrap:wrap;gap:.4em 1.4em">{tables}</div>'
            f'<div style="font-size:.85em;color:#444">The same colour is the same number in the first two maps{place}; in the third, '
            "blue is too large and red too small. The framed entry differs most.</div></div>")


def _table(head: str, values: list[list[float]], scale: tuple[float, float, tuple], maps: MapsResult, *, sign: str) -> str:
    texts = [[_short(value, sign) for value in line] for line in values]
    columns = "".join(f'<th style="{_LABEL}">{maps.column + j}</th>' for j in range(len(values[0])))
    rows = "".join(f'<tr style="background:none"><th style="{_LABEL}">{maps.row + i}</th>'
                   + "".join(_cell(value, text, scale, framed=[i, j] == maps.worst) for j, (value, text) in enumerate(zip(*line))) + "</tr>"
                   for i, line in enumerate(zip(values, texts)))
    spoken = "; ".join(f"row {maps.row + i}: {', '.join(line)}" for i, line in enumerate(texts))
    return (f'<div role="img" aria-label="{escape(f"heat map of {head}: {spoken}", quote=True)}" style="max-width:100%;overflow-x:auto">'
            f'<div style="font-weight:600;font-size:.85em" aria-hidden="true">{escape(head)}</div>'
            f'<table aria-hidden="true" style="{_TABLE}"><tr style="background:none"><th style="{_LABEL}"></th>{columns}</tr>{rows}</table></div>')


def _cell(value: float, text: str, scale: tuple[float, float, tuple], *, framed: bool) -> str:
    colour = _colour(value, scale)
    ink = "#fff" if _dark(colour) else "#000"
    frame = "outline:2px solid #111;outline-offset:-2px;font-weight:700;" if framed else ""
    return f'<td style="{_CELL}{frame}background:{colour};color:{ink}">{escape(text)}</td>'


def _scale(rows: list[list[float]], *, signed: bool = False) -> tuple[float, float, tuple]:
    """The values at the two ends, and the colours between: symmetric around 0 where there are signs."""
    known = [x for line in rows for x in line if math.isfinite(x)] or [0.0]
    if signed or min(known) < 0:
        most = max(map(abs, known)) or 1.0
        return -most, most, _RED_TO_BLUE
    return min(0.0, *known), max(known) or 1.0, _BLUES


def _colour(value: float, scale: tuple[float, float, tuple]) -> str:
    low, high, colours = scale
    if math.isnan(value):
        return "#bdbdbd"
    place = min(1.0, max(0.0, (value - low) / (high - low))) * (len(colours) - 1)
    first = min(int(place), len(colours) - 2)
    pairs = zip(_parts(colours[first]), _parts(colours[first + 1]))
    return "#" + "".join(f"{round(a + (b - a) * (place - first)):02x}" for a, b in pairs)


def _parts(colour: str) -> list[int]:
    return [int(colour[i:i + 2], 16) for i in (1, 3, 5)]


def _dark(colour: str) -> bool:
    """Whether white is easier to read on it than black (relative luminance of WCAG 2)."""
    red, green, blue = (part / 3294.6 if part < 10.3 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in _parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179


def _minus(got: float, expected: float) -> float:
    return 0.0 if got == expected else got - expected


def _short(value: float, sign: str) -> str:
    return "nan" if math.isnan(value) else format(value, f"{sign}.3g") if value else "0"
