"""What all figures have in common: colours, sizes, and how numbers are read and shown."""

from __future__ import annotations

import math
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


def grid(panels: int, columns: int) -> tuple[int, int]:
    """Columns and rows for so many panels."""
    columns = max(1, min(columns, panels))
    return columns, math.ceil(panels / columns)



def vector(values: Any, size: int, name: str) -> list[float]:
    """The numbers of a bar group or a curve; raises ValueError if there are not `size` of them."""
    numbers = [float(v) for v in plain(values)]
    if len(numbers) != size:
        raise ValueError(f"'{name}' has {len(numbers)} values where {size} are drawn.")
    return numbers



def plain(values: Any) -> Any:
    """A tensor or an array, whatever its device or gradient, as nested lists; a list as it is, its rows made plain."""
    values = values.detach() if hasattr(values, "detach") else values
    if hasattr(values, "tolist"):
        return values.tolist()
    return [plain(v) for v in values] if isinstance(values, (list, tuple)) else values



def short(value: float, decimals: int = 2) -> str:
    """A number in as little room as possible: .39, -.05, 1.24; 0 and 1 are exact, .00 and 1.00 are rounded."""
    if not math.isfinite(value) or value == round(value):
        return f"{value + 0.0:g}"
    text = f"{abs(value):.{decimals}f}".removeprefix("0" if abs(value) < 1 - 0.5 * 10 ** -decimals else "")
    return ("-" if value < 0 and text.strip(".0") else "") + text



def finish(fig: Figure, title: str, height: int, *, legend: bool = False, bottom: int = 70) -> Figure:
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
