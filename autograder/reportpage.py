"""The class report as one HTML page that needs nothing else: plotly and the figures are in it, student text is escaped.

Its content policy lets run only the two scripts that are put in here, named by their hashes, and no request leave the page.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.classreport import ClassReport
from autograder.figures.parts import COLOURS
from autograder.reportfigures import FEW, report_figures, score_bins, time_bins
from autograder.sheets import number

_WORDS = {"wrong": "wrong", "raised": "raised an error", "limit": "over a limit", "not_attempted": "not tried"}
PAGES = Path(__file__).parent / "pages"
_DRAW = """const figures = %s;
const places = Object.keys(figures).map(id => document.getElementById(id));
const draw = place => Plotly.newPlot(place, figures[place.id].data, figures[place.id].layout, {responsive: true, displayModeBar: false});
places.forEach(draw);
const wide = width => places.forEach(place => Plotly.relayout(place, {width: width, autosize: width === null}));
window.addEventListener('beforeprint', () => wide(640));
window.addEventListener('afterprint', () => wide(null));
"""


def page_text(report: ClassReport) -> str:
    """The whole page."""
    from plotly.offline import get_plotlyjs
    figures = report_figures(report)
    scripts = [get_plotlyjs(), _DRAW % _for_script(figures)]
    environment = Environment(
        loader=FileSystemLoader(PAGES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "points": number,
        "percent": lambda rate: f"{rate:.0%}",
        "otherwise": otherwise,
        "count": counted,
        "ticks": ticks,
        "soft": lambda name: Markup(str(escape(name)).replace("_", "_<wbr>")),
    }
    template = environment.get_template("report.html")
    return template.render(
        report=report,
        few=FEW,
        figures=figures,
        scripts=[Markup(script) for script in scripts],
        hashes=[_hash(script) for script in scripts],
        score_bins=score_bins(report),
        time_bins=time_bins(report),
        colours=COLOURS,
    )


def counted(number_of: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number_of} {one if number_of == 1 else many or one + 's'}"


def otherwise(outcomes: dict[str, int]) -> str:
    """How many came out in other ways than right, in words."""
    return ", ".join(f"{outcomes[outcome]} {words}" for outcome, words in _WORDS.items() if outcomes.get(outcome))


def ticks(text: str) -> Markup:
    """Text of the course's own, escaped, in which what stands between backticks is shown as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _for_script(value: object) -> str:
    """JSON that cannot end the script it stands in."""
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
