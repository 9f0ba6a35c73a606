"""Markdown as HTML that holds nothing live: tags are shown as text, pictures come from the page only, formulas are MathML.

MathML is drawn by the browser itself and read out by screen readers, so a page needs neither a script nor a network for its formulas.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from functools import lru_cache
from html import escape, unescape
from typing import Any

from jinja2 import pass_context
from mistune.util import safe_entity
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

_TAGS = frozenset("math mrow mi mn mo mtext mspace msub msup msubsup munder mover munderover mfrac msqrt mroot mtable mtr mtd "
                  "mstyle mpadded mphantom menclose mmultiscripts mprescripts".split())
_ATTRIBUTES = frozenset("xmlns display displaystyle scriptlevel mathvariant stretchy fence form separator accent accentunder movablelimits "
                        "largeop minsize maxsize lspace rspace width height depth linethickness columnalign rowspacing columnspacing".split())
# Browsers know lengths only, not TeX's names for them.
_SPACES = {"negativethinmathspace": "-0.167em", "thinmathspace": "0.167em", "mediummathspace": "0.222em", "thickmathspace": "0.278em"}
_SAME = {"{aligned}": "{align*}", "{gathered}": "{gather*}", "{split}": "{align*}"}
_PICTURES = tuple(f"data:image/{kind};" for kind in ("png", "jpeg", "gif", "webp"))
LONGEST_FORMULA = 2000


@pass_context
def to_html(context: Any, source: str) -> str:
    """A Markdown cell or comment as HTML; nbconvert's templates call it as their filter ``markdown2html``."""
    path = context.get("resources", {}).get("metadata", {}).get("path", "")
    renderer = _Safe(escape=True, allow_harmful_protocols=None, embed_images=True, exclude_anchor_links=True, path=path)
    return MarkdownWithMath(renderer=renderer).render(source)


class _Safe(IPythonRenderer):
    """nbconvert's renderer without what is live or elsewhere."""

    def text(self, text: str) -> str:
        return safe_entity(text)  # an entity is the sign it stands for, escaped again: not shown as it is written

    def image(self, text: str, url: str, title: str | None = None) -> str:
        source = self._embed_image_or_attachment(url) if not url.startswith("attachment:") else url
        if source.startswith(_PICTURES):
            return super().image(text, source, title)
        return f"[a picture that is not in this page: {escape(text)} {escape(url)}]"

    def block_mermaidjs(self, code: str) -> str:
        return f"<pre>{escape(code)}</pre>"

    def inline_math(self, body: str) -> str:
        return formula(body, display="inline")

    def block_math(self, body: str) -> str:
        return _wide(formula(body, display="block"))

    def latex_environment(self, name: str, body: str) -> str:
        return _wide(formula(rf"\begin{{{name}}}{body}\end{{{name}}}", display="block"))


def _wide(shown: str) -> str:
    """What may be wider than the page, with a scroll bar of its own where it is."""
    return f'<span style="display:block;overflow-x:auto;overflow-y:hidden">{shown}</span>'


@lru_cache(maxsize=4096)
def formula(tex: str, *, display: str) -> str:
    """A formula in TeX as MathML, `display` being inline or block; as it was written where it is not understood."""
    from latex2mathml.converter import convert_to_element
    written = tex
    for name, same in _SAME.items():
        tex = tex.replace(name, same)
    try:
        if len(tex) > LONGEST_FORMULA:
            raise ValueError("too long to be a formula")
        element = convert_to_element(tex, display=display)
        _clean(element)
        return ElementTree.tostring(element, encoding="unicode", method="html")
    except Exception:  # the library raises whatever it comes upon in half a formula, RecursionError too
        mark = "$$" if display == "block" else "$"
        return f"<code>{escape(mark + written + mark)}</code>"


def _clean(element: ElementTree.Element) -> None:
    """Leave only what draws; texts become plain, since the library writes entities and raw text side by side."""
    if element.tag not in _TAGS:
        raise ValueError(f"{element.tag} is no part of a formula")
    element.attrib = {name: _SPACES.get(value, value) for name, value in element.attrib.items() if name in _ATTRIBUTES}
    element.text = unescape(element.text).removeprefix("\\") if element.text else element.text  # of an unknown \name the name is left
    for child in element:
        _clean(child)
