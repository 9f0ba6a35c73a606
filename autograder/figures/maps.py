"""Heat maps with words on the axes, and rows of small pictures."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from autograder.figures.parts import DIVERGING, FONT, NARROW, SEQUENTIAL, SMALL, finish, grid, plain, short

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def heat_maps(maps: Sequence[Any], words: Sequence[Any] | None = None, titles: Sequence[str] | None = None, *,
              queries: Sequence[Any] | None = None, signed: bool = False, title: str = "", label: str = "weight",
              axes: tuple[str, str] = ("query", "key"), columns: int = 2) -> Figure:
    """Matrices side by side on one colour scale; rows are queries (the first on top), columns are keys.

    maps: matrices, each N_q x N_kv; they may differ in size.
    words: what stands on the axes: N_kv words for all maps, or one list of words for each; numbers from 0 if omitted.
    queries: N_q words for the rows, given like words, if they are not the words of the columns. titles: one for each map.
    signed: colours diverge from 0 instead of growing from 0. label, axes: names of a value, of rows and columns.
    Raises ValueError if a map is not a matrix or its size does not fit the words.
    """
    from plotly.subplots import make_subplots

    tables = [_matrix(table, i) for i, table in enumerate(maps)]
    queries = words if queries is None else queries
    columns, rows = grid(len(tables), columns)
    aside, below = min((_longest(queries) + 24) / NARROW, 0.5 / columns), 64 + _longest(words)
    height = rows * min(max(200, 33 * max(map(len, tables))), NARROW) + (rows - 1) * (below + 30)
    room = NARROW * (1 - (columns - 1) * aside) / (columns * max(len(table[0]) for table in tables))
    fig = make_subplots(rows=rows, cols=columns, subplot_titles=titles, horizontal_spacing=aside, vertical_spacing=(below + 30) / height)
    for i, table in enumerate(tables):
        keys = _words_of(words, i, len(table[0]), f"columns of map {i}")
        names = _words_of(queries, i, len(table), f"rows of map {i}")
        place = {"row": i // columns + 1, "col": i % columns + 1}
        fig.add_trace(_heat_map(table, names, keys, axes, label, room), **place)
        fig.update_xaxes(title_text=axes[1], **_ticks(keys), tickangle=0 if max(map(len, keys)) <= 2 else -90, **place)
        fig.update_yaxes(title_text=axes[0] if place["col"] == 1 else "", **_ticks(names, reverse=True), **place)
    fig.update_layout(coloraxis=_colour_axis(tables, signed, label))
    return finish(fig, title, height, bottom=below)



def picture_rows(rows: Mapping[str, Sequence[Any]], titles: Sequence[str] | None = None, *, title: str = "") -> Figure:
    """Small pictures in rows, those of a column belonging together; each row has a scale and a colour bar of its own, from 0 up.

    rows: maps the name of a row to its pictures, as many in each row; a picture is a matrix, its first row on top.
    titles: one for each column. Values are written into a picture where there is room for them.
    Raises ValueError if a picture is not a matrix or a row has more or fewer pictures than the first.
    """
    from plotly.subplots import make_subplots

    tables = {name: [_matrix(picture, i) for i, picture in enumerate(pictures)] for name, pictures in rows.items()}
    columns = len(next(iter(tables.values())))
    side, height = NARROW / columns, len(tables) * (NARROW / columns + 12)
    fig = make_subplots(rows=len(tables), cols=columns, column_titles=titles, horizontal_spacing=0.02, vertical_spacing=12 / height)
    for r, (name, pictures) in enumerate(tables.items(), 1):
        if len(pictures) != columns:
            raise ValueError(f"'{name}' has {len(pictures)} pictures where {columns} are drawn in the first row.")
        for c, table in enumerate(pictures, 1):
            _add_picture(fig, table, name, r, c, 0.85 * side / len(table[0]))
        axis = _colour_axis(pictures, False, "")
        axis["colorbar"] |= {"len": 0.9 * (side + 12) / height, "y": 1 - (r - 0.5) / len(tables)}
        fig.update_layout({f"coloraxis{r}": axis})
    return finish(fig, title, round(height), bottom=30)



def _add_picture(fig: Figure, table: list[list[float]], name: str, r: int, c: int, room: float) -> None:
    """Put one picture, with square cells, at row r and column c. name: of its row. room: as for `_heat_map`."""
    names = [[str(n) for n in range(size)] for size in (len(table), len(table[0]))]
    trace = _heat_map(table, *names, ("row", "column"), name, room)
    trace.coloraxis = f"coloraxis{r}"
    fig.add_trace(trace, row=r, col=c)
    fig.update_xaxes(showticklabels=False, range=[-0.5, len(table[0]) - 0.5], constrain="domain", row=r, col=c)
    fig.update_yaxes(showticklabels=False, range=[len(table) - 0.5, -0.5], constrain="domain", scaleanchor=fig.data[-1].xaxis,
                     title_text=name if c == 1 else "", row=r, col=c)



def _heat_map(table: list[list[float]], rows: list[str], columns: list[str], axes: tuple[str, str], label: str, room: float) -> Any:
    """One heat map on the shared colour axis; tokens stand at 0, 1, ..., so that a word may occur twice.

    table: N_q x N_kv. room: pixels for a cell's width, which decide whether values are written and to how many decimals.
    """
    import plotly.graph_objects as go

    told = [[f"{axes[0]} {n}: {row}<br>{axes[1]} {m}: {column}<br>{label}: {table[n][m]:.4f}" for m, column in enumerate(columns)]
            for n, row in enumerate(rows)]
    written = {"text": [[short(v, 3 if room > 40 else 2) for v in row] for row in table], "texttemplate": "%{text}",
               "textfont": {"size": 11}}
    return go.Heatmap(z=table, x=list(range(len(columns))), y=list(range(len(rows))), coloraxis="coloraxis", xgap=1, ygap=1,
                      hovertext=told, hoverinfo="text", **(written if room > 18 else {}))



def _colour_axis(tables: list[list[list[float]]], signed: bool, label: str) -> dict[str, Any]:
    """The colour scale that all maps share: from 0 up, or symmetric about 0."""
    finite = [v for table in tables for row in table for v in row if math.isfinite(v)] or [0.0]
    largest = (max(map(abs, finite)) if signed else max(finite)) or 1.0
    least = -largest if signed else min(0.0, *finite)
    bar = {"title": {"text": label, "side": "top", "font": {"size": FONT}}, "thickness": 14, "tickfont": {"size": SMALL},
           "ticks": "outside", "ticklabelposition": "outside" if signed else "outside bottom"}   # clear of the title
    return {"colorscale": DIVERGING if signed else SEQUENTIAL, "cmin": least, "cmax": max(largest, least + 1e-12), "colorbar": bar}



def _ticks(words: list[str], reverse: bool = False) -> dict[str, Any]:
    """Axis settings that put a word at each token; reversed, the first token is on top."""
    places = list(range(0, len(words), math.ceil(len(words) / 32)))
    ends = [len(words) - 0.5, -0.5] if reverse else [-0.5, len(words) - 0.5]
    words_there = [words[n] for n in places]
    return {"tickvals": places, "ticktext": words_there, "range": ends, "showgrid": False, "zeroline": False, "title_standoff": 8}



def _longest(words: Sequence[Any] | None) -> int:
    """The width of the longest word in pixels, roughly."""
    own = [word for item in words or () for word in (item if isinstance(item, (list, tuple)) else [item])]
    return 7 * max((len(str(word)) for word in own), default=2)



def _words_of(words: Sequence[Any] | None, i: int, size: int, where: str) -> list[str]:
    """The labels of map i along one axis, safe to show; raises ValueError if there are not `size` of them."""
    if words is None:
        return [str(n) for n in range(size)]
    own = words[i] if len(words) and isinstance(words[0], (list, tuple)) else words
    if len(own) != size:
        raise ValueError(f"there are {size} {where} but {len(own)} words for them; compare the tensor's shape with the words.")
    return [html.escape(str(word), quote=False) for word in own]



def _matrix(values: Any, i: int) -> list[list[float]]:
    """Map i as a list of rows of floats; raises ValueError if it is not a matrix."""
    shape = getattr(values, "shape", None)
    rows = plain(values)
    if (shape is not None and len(shape) != 2) or not rows or not isinstance(rows[0], list) or not rows[0]:
        raise ValueError(f"map {i} must be a matrix of N_q x N_kv values" + ("." if shape is None else f"; its shape is {tuple(shape)}."))
    return [[float(v) for v in row] for row in rows]
