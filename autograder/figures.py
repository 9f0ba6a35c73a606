"""Plotly figures for the notebooks: heat maps with words on the axes, grouped bars, panels of curves, of functions and of points, pictures.

Every function takes torch tensors (NumPy arrays and nested lists do as well) and returns a plotly Figure. Nothing depends on
colour alone: heat maps print their values, bars carry patterns, curves differ in dash and marker. Plotly is imported when the
first figure is drawn, so that importing this module costs nothing.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

FONT = 14
SMALL = 12
SEQUENTIAL = "Blues"       # zero is light, so that a printed page stays light
DIVERGING = "RdBu"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000")   # Okabe and Ito: safe for the colour-blind
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
PATTERNS = ("", "/", "x", ".", "\\", "+")
NARROW = 620               # pixels for all maps of a row in a narrow window: what fits there fits everywhere

FIT_TO_PAPER = """
const figure = document.getElementById('{plot_id}');
window.addEventListener('beforeprint', () => { figure.style.zoom = Math.min(1, 600 / figure.offsetWidth); });
window.addEventListener('afterprint', () => { figure.style.zoom = ''; });
"""


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
    columns, rows = _grid(len(tables), columns)
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
    return _finish(fig, title, height, bottom=below)


def grouped_bars(groups: Mapping[str, Any], names: Sequence[str], *, title: str = "", x_title: str = "",
                 y_title: str = "value") -> Figure:
    """Vectors compared coordinate by coordinate, one bar for each vector, its value written at its end.

    groups: maps the name of a vector to its D numbers, in the order of the legend.
    names: the D names of the coordinates, from left to right.
    Raises ValueError if a vector does not have D numbers.
    """
    import plotly.graph_objects as go

    fig = go.Figure()
    for i, (group, values) in enumerate(groups.items()):
        numbers = _vector(values, len(names), group)
        pattern = {"shape": PATTERNS[i % len(PATTERNS)], "fgcolor": "white", "size": 7, "solidity": 0.35}
        fig.add_trace(go.Bar(x=list(names), y=numbers, name=group, text=[_short(v) for v in numbers], textposition="outside",
                             textangle=0, textfont_size=SMALL, cliponaxis=False, hovertemplate="%{x}: %{y:.4f}",
                             marker={"color": COLOURS[i % len(COLOURS)], "pattern": pattern}))
    fig.update_layout(barmode="group", bargap=0.25, bargroupgap=0.08)
    fig.update_xaxes(title_text=x_title)
    fig.update_yaxes(title_text=y_title, zeroline=True, zerolinecolor="black", zerolinewidth=1)
    return _finish(fig, title, 280, legend=True)


def line_panels(x: Any, panels: Mapping[str, Mapping[str, Any]], *, x_title: str, title: str = "", log_x: bool = True,
                log_y: Sequence[str] = (), columns: int = 2) -> Figure:
    """Several panels over one quantity; the same curve has the same colour, dash and marker in each of them.

    x: N numbers, shared by all panels, written out along the axis. x_title: their name.
    panels: maps the title of a panel's y axis to its curves, and the name of a curve to its N numbers.
    log_x: whether the x axes are logarithmic. log_y: titles of the panels whose y axis is logarithmic. columns: panels in a row.
    Raises ValueError if a curve does not have N numbers.
    """
    from plotly.subplots import make_subplots

    xs = _vector(x, len(x), x_title)
    columns, rows = _grid(len(panels), columns)
    styles = {name: i for i, name in enumerate(dict.fromkeys(name for curves in panels.values() for name in curves))}
    fig = make_subplots(rows=rows, cols=columns, horizontal_spacing=0.26 / columns, vertical_spacing=0.26 / rows)
    seen: set[str] = set()
    for i, (y_title, curves) in enumerate(panels.items()):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        for name, values in curves.items():
            fig.add_trace(_curve(xs, _vector(values, len(xs), name), name, styles[name], name not in seen), **place)
            seen.add(name)
        fig.update_yaxes(title_text=y_title, **place)
        fig.update_yaxes(**({"type": "log", "dtick": 1} if y_title in log_y else {"rangemode": "tozero"}), **place)
    fig.update_xaxes(title_text=x_title, type="log" if log_x else "linear", tickvals=xs, ticktext=[f"{v:g}" for v in xs])
    return _finish(fig, title, 320 * rows - 80, legend=True)


def smooth_panels(x: Any, panels: Mapping[str, Mapping[str, Any]], *, x_title: str, title: str = "", columns: int = 2,
                  notes: Mapping[str, Sequence[tuple[float, float, str]]] | None = None) -> Figure:
    """Several panels of functions of one variable, drawn as lines without markers; a function has the same dash and colour throughout.

    x: N numbers in rising order, shared by all panels. x_title: their name.
    panels: maps the title of a panel's y axis to its curves, and the name of a curve to its N numbers. columns: panels in a row.
    notes: maps the title of a panel's y axis to points (x, y, text) that are marked and explained.
    Raises ValueError if a curve does not have N numbers.
    """
    from plotly.subplots import make_subplots

    xs = _vector(x, len(x), x_title)
    columns, rows = _grid(len(panels), columns)
    styles = {name: i for i, name in enumerate(dict.fromkeys(name for curves in panels.values() for name in curves))}
    fig = make_subplots(rows=rows, cols=columns, horizontal_spacing=0.26 / columns, vertical_spacing=0.26 / rows)
    seen: set[str] = set()
    for i, (y_title, curves) in enumerate(panels.items()):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        for name, values in curves.items():
            curve = _curve(xs, _vector(values, len(xs), name), name, styles[name], name not in seen)
            fig.add_trace(curve.update(mode="lines"), **place)
            seen.add(name)
        for at, height, text in (notes or {}).get(y_title, ()):
            fig.add_annotation(x=at, y=height, text=text, showarrow=True, arrowhead=2, ax=0, ay=34 if height < 0 else -34, **place)
        fig.update_yaxes(title_text=y_title, zeroline=True, zerolinecolor="black", zerolinewidth=1, **place)
    fig.update_xaxes(title_text=x_title, zeroline=True, zerolinecolor="#BBBBBB")
    return _finish(fig, title, 320 * rows - 80, legend=True)


def scatter_panels(panels: Mapping[str, Mapping[str, tuple[Any, Any]]], *, x_title: str, title: str = "", lines: Sequence[str] = (),
                   log_x: bool = False, columns: int = 2) -> Figure:
    """Several panels of points and curves, each with its own numbers on the x axis; one name has one look in all panels.

    panels: maps the title of a panel's y axis to its series, and the name of a series to a pair (x, y) of equally many numbers.
    x_title: the name of the x axes. lines: names of the series that are drawn as a curve through their points instead of as dots.
    log_x: whether the x axes are logarithmic. columns: panels in a row.
    Raises ValueError if the two parts of a series differ in length.
    """
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    columns, rows = _grid(len(panels), columns)
    styles = {name: i for i, name in enumerate(dict.fromkeys(name for series in panels.values() for name in series))}
    fig = make_subplots(rows=rows, cols=columns, horizontal_spacing=0.26 / columns, vertical_spacing=0.26 / rows)
    seen: set[str] = set()
    for i, (y_title, series) in enumerate(panels.items()):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        for name, (x, y) in series.items():
            xs = _vector(x, len(x), name)
            fig.add_trace(go.Scatter(x=xs, y=_vector(y, len(xs), name), name=name, legendgroup=name, showlegend=name not in seen,
                                     hovertemplate="%{x}: %{y:.4g}", **_look(styles[name], list(lines).index(name) if name in lines else None)), **place)
            seen.add(name)
        fig.update_yaxes(title_text=y_title, zeroline=True, zerolinecolor="black", zerolinewidth=1, **place)
    fig.update_xaxes(title_text=x_title, type="log" if log_x else "linear", **({"dtick": 1, "tickformat": "~f"} if log_x else {}))
    return _finish(fig, title, 320 * rows - 40, legend=True)


def _look(style: int, line: int | None) -> dict[str, Any]:
    """Colour, and dash or marker, of one series of `scatter_panels`; `line` is its number among the curves, None for dots."""
    colour = COLOURS[style % len(COLOURS)]
    if line is not None:
        return {"mode": "lines", "line": {"color": colour, "width": 2.5, "dash": DASHES[line % len(DASHES)]}}
    return {"mode": "markers", "marker": {"color": colour, "size": 7, "symbol": SYMBOLS[style % len(SYMBOLS)], "opacity": 0.6}}


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
    return _finish(fig, title, round(height), bottom=30)


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
    written = {"text": [[_short(v, 3 if room > 40 else 2) for v in row] for row in table], "texttemplate": "%{text}",
               "textfont": {"size": 11}}
    return go.Heatmap(z=table, x=list(range(len(columns))), y=list(range(len(rows))), coloraxis="coloraxis", xgap=1, ygap=1,
                      hovertext=told, hoverinfo="text", **(written if room > 18 else {}))


def _curve(x: list[float], y: list[float], name: str, style: int, in_legend: bool) -> Any:
    """One curve. x, y: N numbers each; style: which colour, dash and marker."""
    import plotly.graph_objects as go

    colour = COLOURS[style % len(COLOURS)]
    return go.Scatter(x=x, y=y, name=name, legendgroup=name, showlegend=in_legend, mode="lines+markers",
                      line={"color": colour, "width": 2.5, "dash": DASHES[style % len(DASHES)]},
                      marker={"color": colour, "size": 9, "symbol": SYMBOLS[style % len(SYMBOLS)]},
                      hovertemplate="%{x}: %{y:.4g}")


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


def _grid(panels: int, columns: int) -> tuple[int, int]:
    """Columns and rows for so many panels."""
    columns = max(1, min(columns, panels))
    return columns, math.ceil(panels / columns)


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
    rows = _plain(values)
    if (shape is not None and len(shape) != 2) or not rows or not isinstance(rows[0], list) or not rows[0]:
        raise ValueError(f"map {i} must be a matrix of N_q x N_kv values" + ("." if shape is None else f"; its shape is {tuple(shape)}."))
    return [[float(v) for v in row] for row in rows]


def _vector(values: Any, size: int, name: str) -> list[float]:
    """The numbers of a bar group or a curve; raises ValueError if there are not `size` of them."""
    numbers = [float(v) for v in _plain(values)]
    if len(numbers) != size:
        raise ValueError(f"'{name}' has {len(numbers)} values where {size} are drawn.")
    return numbers


def _plain(values: Any) -> Any:
    """A tensor or an array, whatever its device or gradient, as nested lists; a list as it is, its rows made plain."""
    values = values.detach() if hasattr(values, "detach") else values
    if hasattr(values, "tolist"):
        return values.tolist()
    return [_plain(v) for v in values] if isinstance(values, (list, tuple)) else values


def _short(value: float, decimals: int = 2) -> str:
    """A number in as little room as possible: .39, -.05, 1.24; 0 and 1 are exact, .00 and 1.00 are rounded."""
    if not math.isfinite(value) or value == round(value):
        return f"{value + 0.0:g}"
    text = f"{abs(value):.{decimals}f}".removeprefix("0" if abs(value) < 1 - 0.5 * 10 ** -decimals else "")
    return ("-" if value < 0 and text.strip(".0") else "") + text


def _finish(fig: Figure, title: str, height: int, *, legend: bool = False, bottom: int = 70) -> Figure:
    """What all figures share: white ground, explicit sizes, a box round each panel, the legend above the panels.

    height, bottom: pixels from the top of the first panel to the bottom of the last, and below that.
    """
    _show_in_exports()
    top = 40 + (44 if title else 0) + (30 if legend else 0)
    fig.update_layout(template="plotly_white", height=top + height + bottom, font={"size": FONT, "color": "black"},
                      margin={"l": 70, "r": 30, "t": top, "b": bottom}, title={"text": title, "x": 0.02, "font": {"size": 17}})
    if legend:
        fig.update_layout(showlegend=True, legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "itemwidth": 50,
                                                  "font": {"size": FONT}})
    fig.update_annotations(font_size=15)
    fig.update_xaxes(title_font_size=FONT, tickfont_size=SMALL, showline=True, linecolor="black", mirror=True, automargin=True)
    fig.update_yaxes(title_font_size=FONT, tickfont_size=SMALL, showline=True, linecolor="black", mirror=True, automargin=True)
    return fig


def _show_in_exports() -> None:
    """In a Jupyter kernel, send HTML along with plotly's own format, which nbconvert cannot show.

    Each figure brings a link to plotly.js, so that a cell may be run again by itself, and leaves the page's MathJax alone.
    A renderer that was chosen by hand (or by PLOTLY_RENDERER) stays.
    """
    import plotly.io as pio
    from plotly.io.base_renderers import MimetypeRenderer

    class Export(MimetypeRenderer):
        def to_mimebundle(self, fig_dict: dict[str, Any]) -> dict[str, str]:
            return {"text/html": pio.to_html(fig_dict, include_plotlyjs="cdn", include_mathjax=False, full_html=False,
                                             post_script=FIT_TO_PAPER, validate=False)}

    if pio.renderers.default == "plotly_mimetype":
        pio.renderers["homework"] = Export()
        pio.renderers.default = "plotly_mimetype+homework"
