"""Grouped bars, and panels of curves through points, of functions and of points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from autograder.figures.parts import COLOURS, DASHES, PATTERNS, SMALL, SYMBOLS, finish, grid, short, vector

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


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
        numbers = vector(values, len(names), group)
        pattern = {"shape": PATTERNS[i % len(PATTERNS)], "fgcolor": "white", "size": 7, "solidity": 0.35}
        fig.add_trace(go.Bar(x=list(names), y=numbers, name=group, text=[short(v) for v in numbers], textposition="outside",
                             textangle=0, textfont_size=SMALL, cliponaxis=False, hovertemplate="%{x}: %{y:.4f}",
                             marker={"color": COLOURS[i % len(COLOURS)], "pattern": pattern}))
    fig.update_layout(barmode="group", bargap=0.25, bargroupgap=0.08)
    fig.update_xaxes(title_text=x_title)
    fig.update_yaxes(title_text=y_title, zeroline=True, zerolinecolor="black", zerolinewidth=1)
    return finish(fig, title, 280, legend=True)



def line_panels(x: Any, panels: Mapping[str, Mapping[str, Any]], *, x_title: str, title: str = "", log_x: bool = True,
                log_y: Sequence[str] = (), columns: int = 2) -> Figure:
    """Several panels over one quantity; the same curve has the same colour, dash and marker in each of them.

    x: N numbers, shared by all panels, written out along the axis. x_title: their name.
    panels: maps the title of a panel's y axis to its curves, and the name of a curve to its N numbers.
    log_x: whether the x axes are logarithmic. log_y: titles of the panels whose y axis is logarithmic. columns: panels in a row.
    Raises ValueError if a curve does not have N numbers.
    """
    from plotly.subplots import make_subplots

    xs = vector(x, len(x), x_title)
    columns, rows = grid(len(panels), columns)
    styles = {name: i for i, name in enumerate(dict.fromkeys(name for curves in panels.values() for name in curves))}
    fig = make_subplots(rows=rows, cols=columns, horizontal_spacing=0.26 / columns, vertical_spacing=0.26 / rows)
    seen: set[str] = set()
    for i, (y_title, curves) in enumerate(panels.items()):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        for name, values in curves.items():
            fig.add_trace(_curve(xs, vector(values, len(xs), name), name, styles[name], name not in seen), **place)
            seen.add(name)
        fig.update_yaxes(title_text=y_title, **place)
        fig.update_yaxes(**({"type": "log", "dtick": 1} if y_title in log_y else {"rangemode": "tozero"}), **place)
    fig.update_xaxes(title_text=x_title, type="log" if log_x else "linear", tickvals=xs, ticktext=[f"{v:g}" for v in xs])
    return finish(fig, title, 320 * rows - 80, legend=True)



def smooth_panels(x: Any, panels: Mapping[str, Mapping[str, Any]], *, x_title: str, title: str = "", columns: int = 2,
                  notes: Mapping[str, Sequence[tuple[float, float, str]]] | None = None) -> Figure:
    """Several panels of functions of one variable, drawn as lines without markers; a function has the same dash and colour throughout.

    x: N numbers in rising order, shared by all panels. x_title: their name.
    panels: maps the title of a panel's y axis to its curves, and the name of a curve to its N numbers. columns: panels in a row.
    notes: maps the title of a panel's y axis to points (x, y, text) that are marked and explained.
    Raises ValueError if a curve does not have N numbers.
    """
    from plotly.subplots import make_subplots

    xs = vector(x, len(x), x_title)
    columns, rows = grid(len(panels), columns)
    styles = {name: i for i, name in enumerate(dict.fromkeys(name for curves in panels.values() for name in curves))}
    fig = make_subplots(rows=rows, cols=columns, horizontal_spacing=0.26 / columns, vertical_spacing=0.26 / rows)
    seen: set[str] = set()
    for i, (y_title, curves) in enumerate(panels.items()):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        for name, values in curves.items():
            curve = _curve(xs, vector(values, len(xs), name), name, styles[name], name not in seen)
            fig.add_trace(curve.update(mode="lines"), **place)
            seen.add(name)
        for at, height, text in (notes or {}).get(y_title, ()):
            fig.add_annotation(x=at, y=height, text=text, showarrow=True, arrowhead=2, ax=0, ay=34 if height < 0 else -34, **place)
        fig.update_yaxes(title_text=y_title, zeroline=True, zerolinecolor="black", zerolinewidth=1, **place)
    fig.update_xaxes(title_text=x_title, zeroline=True, zerolinecolor="#BBBBBB")
    return finish(fig, title, 320 * rows - 80, legend=True)



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

    columns, rows = grid(len(panels), columns)
    styles = {name: i for i, name in enumerate(dict.fromkeys(name for series in panels.values() for name in series))}
    fig = make_subplots(rows=rows, cols=columns, horizontal_spacing=0.26 / columns, vertical_spacing=0.26 / rows)
    seen: set[str] = set()
    for i, (y_title, series) in enumerate(panels.items()):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        for name, (x, y) in series.items():
            xs = vector(x, len(x), name)
            fig.add_trace(go.Scatter(x=xs, y=vector(y, len(xs), name), name=name, legendgroup=name, showlegend=name not in seen,
                                     hovertemplate="%{x}: %{y:.4g}", **_look(styles[name], list(lines).index(name) if name in lines else None)), **place)
            seen.add(name)
        fig.update_yaxes(title_text=y_title, zeroline=True, zerolinecolor="black", zerolinewidth=1, **place)
    fig.update_xaxes(title_text=x_title, type="log" if log_x else "linear", **({"dtick": 1, "tickformat": "~f"} if log_x else {}))
    return finish(fig, title, 320 * rows - 40, legend=True)



def _look(style: int, line: int | None) -> dict[str, Any]:
    """Colour, and dash or marker, of one series of `scatter_panels`; `line` is its number among the curves, None for dots."""
    colour = COLOURS[style % len(COLOURS)]
    if line is not None:
        return {"mode": "lines", "line": {"color": colour, "width": 2.5, "dash": DASHES[line % len(DASHES)]}}
    return {"mode": "markers", "marker": {"color": colour, "size": 7, "symbol": SYMBOLS[style % len(SYMBOLS)], "opacity": 0.6}}



def _curve(x: list[float], y: list[float], name: str, style: int, in_legend: bool) -> Any:
    """One curve. x, y: N numbers each; style: which colour, dash and marker."""
    import plotly.graph_objects as go

    colour = COLOURS[style % len(COLOURS)]
    return go.Scatter(x=x, y=y, name=name, legendgroup=name, showlegend=in_legend, mode="lines+markers",
                      line={"color": colour, "width": 2.5, "dash": DASHES[style % len(DASHES)]},
                      marker={"color": colour, "size": 9, "symbol": SYMBOLS[style % len(SYMBOLS)]},
                      hovertemplate="%{x}: %{y:.4g}")
