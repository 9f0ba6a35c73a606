"""The feedback page: nothing a student wrote is live in it, it asks the network for nothing, and it says what is not graded yet."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbconvert.exporters import HTMLExporter
from support import cells_of
from traitlets.config import Config

from autograder.celltext import without_html
from autograder.markdown import formula, to_html
from autograder.page import FeedbackExporter, configure_pages, parts

HOSTILE = r"""<script>document.title = "owned"</script> <img src=x onerror="document.title='owned'"> <svg onload=alert(1)>
<iframe src="javascript:alert(1)"></iframe> <a href="javascript:alert(1)">a</a> <form action="//evil.example"><input name=x></form>

[one](javascript:alert(1)) [two](JaVaScRiPt&#58;alert(1)) [three](data:text/html;base64,PHNjcmlwdD4=) <javascript:alert(1)> [four](vbscript:x)
![five](https://evil.example/pixel.png) ![six](attachment:x.png) ![seven](../../../etc/passwd) ![eight](data:image/svg+xml;base64,PHN2Zz4=)

$\text{<img src=x onerror=alert(1)>}$ $\href{javascript:alert(1)}{x}$ $\style{background:url(//evil.example)}{y}$ $</math><script>alert(1)</script>$
$$\color{red" onload="alert(1)}{z} \class{x" onclick="alert(1)}{y}$$
\begin{matrix}<script>alert(1)</script>\end{matrix}

`<script>alert(1)</script>` <!-- <script>alert(1)</script> --> <style>*{background:url(//evil.example)}</style> <base href="//evil.example">

```html
<script>alert(1)</script>
```
```mermaid
graph <script>alert(1)</script>
```
"""
DEAD = {"script", "iframe", "object", "embed", "form", "input", "base", "link", "svg", "frame", "video", "audio", "source", "button"}


class Live(HTMLParser):
    """Gathers whatever could act by itself or ask the network."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag in DEAD:
            self.found.append(tag)
        for name, value in attributes:
            address = re.sub(r"[\s\0]", "", value or "").lower()
            leads = name in ("href", "src", "xlink:href", "action", "srcset")
            if name.startswith("on") or (leads and re.match(r"javascript|vbscript|data:text", address)):
                self.found.append(f"{tag} {name}={value}")
            if name in ("src", "srcset", "background", "poster") and not address.startswith("data:image/"):
                self.found.append(f"{tag} {name}={value}")
            if name == "style" and "url(" in address:
                self.found.append(f"{tag} {name}={value}")


def live_in(html: str) -> list[str]:
    parser = Live()
    parser.feed(html)
    parser.close()
    return parser.found


def rendered(source: str) -> str:
    return to_html({"resources": {"metadata": {"path": ""}}}, source)


def page_of(notebook: str, **told) -> str:
    """The page of an autograded notebook, with scores as if from a gradebook."""
    config = Config()
    configure_pages(config)
    node = nbformat.from_dict(json.loads(notebook))
    for cell in node.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.metadata.nbgrader |= {"score": 0.0, "waits": cell.cell_type == "markdown"}
    resources = {"nbgrader": {"notebook": "attention", "student": "ada", "score": 1.0, "max_score": 46.5, "late_penalty": 0} | told}
    return FeedbackExporter(config=config).from_notebook_node(node, resources=resources)[0]


def hostile(notebook) -> None:
    """Put hostile text wherever a student can write."""
    made = {"metadata": {}, "outputs": [], "execution_count": None}
    source = ("from IPython.display import HTML, display, Javascript, Markdown\n"
              f"bad = {HOSTILE!r}\nprint(bad)\nfor kind in HTML, Javascript, Markdown:\n    display(kind(bad))\nraise ValueError(bad)")
    notebook["cells"].insert(2, made | {"cell_type": "code", "id": "bad", "source": source})
    for kind in ("markdown", "raw"):
        notebook["cells"].insert(2, {"cell_type": kind, "id": f"bad-{kind}", "metadata": {}, "source": HOSTILE})
    for cell in notebook["cells"]:
        if cell["metadata"].get("autograder", {}).get("kind") == "answer":
            cell["source"] = HOSTILE


@pytest.fixture(scope="module")
def hostile_page(grade):
    return page_of(grade({"softmax": f"def softmax(Z, dim=-1):\n    '''{HOSTILE}'''\n    raise ValueError({HOSTILE!r})\n"}, hostile).notebook)


def test_a_hostile_notebooks_page_holds_nothing_live(hostile_page):
    assert hostile_page.count("evil.example") >= 5, "what was written must be there to be read"
    assert live_in(hostile_page) == []
    assert "default-src 'none'" in hostile_page


def test_the_page_asks_the_network_for_nothing(hostile_page):
    course = re.sub(r"[^\s\"']*evil\.example[^\s\"']*", "", hostile_page)
    assert not re.findall(r"https?://(?!www\.w3\.org/1998/Math/MathML)[^\"'\s<]+", course)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*HOSTILE.split(), *"\n ` $ < \\ { }".split(" "), "\n\n", "```", "$$", "&lt;", "<b", "](", "![", "&#60;"]), max_size=25))
def test_no_mixture_of_hostile_pieces_is_live(pieces):
    for glue in ("", " "):
        text = glue.join(pieces)
        assert live_in(rendered(text)) == []
        assert live_in(rendered(without_html(text))) == []


@pytest.mark.parametrize("source, shown", [
    ("Where $a<b$ holds", "&lt;</mo>"), ("`a<b`", "a&lt; b"), ("$$x<y$$", "&lt;</mo>"), ("a<b", "a&lt;b"), ("```\nif a<b:\n```", "if a&lt; b:"),
    (r"\begin{matrix}x<y\end{matrix}", "&lt;</mo>"), ("a & b &lt; c &amp; d", "a &amp; b &lt; c &amp; d"),
    ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;")])
def test_a_sign_for_less_is_shown_as_one(source, shown):
    """In formulas and code it was shown as &lt; once, because it was escaped twice."""
    html = rendered(without_html(source))
    assert shown in html and "&amp;lt;" not in html


def test_formulas_are_mathml_and_half_a_formula_is_shown_as_written():
    assert formula(r"\frac{a}{b}", display="inline").startswith("<math ") and "<mfrac>" in formula(r"\frac{a}{b}", display="block")
    assert "arg" in formula(r"\arg\min_x f", display="inline") and "\\" not in formula(r"\arg\min_x f", display="inline")
    for broken in (r"x_", r"\left(x", "{" * 900, "x" * 3000, r"\begin{matrix}"):
        assert formula(broken, display="inline") == f"<code>${broken}$</code>"


def test_every_formula_of_the_course_is_understood(release):
    for cell in cells_of(release):
        if cell["cell_type"] == "markdown":
            assert "<code>$" not in rendered("".join(cell["source"]))


def test_what_waits_for_a_person_is_no_zero(grade):
    page = page_of(grade().notebook)
    assert re.search(r"Written answer</a></th><td>– of 2</td>", page) and "waits for a person" in page and "not graded yet, 2 points" in page


def test_each_part_is_there_once_with_a_heading_and_the_lesson_is_folded(grade):
    notebook = grade().notebook
    page, found = page_of(notebook), parts(nbformat.from_dict(json.loads(notebook)).cells)
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)) and {part.name for part in found if part.name and part.kind != "lesson"} <= set(ids)
    assert all(f"#{name}" != link or name in ids for name in ids for link in re.findall(r'href="(#[^"]+)"', page))
    assert page.count("<h1>") >= 1 and page.count("<details") == sum(part.kind == "lesson" for part in found) > 5
    assert page.count('class="autograder-panel"') == sum(part.kind == "checks" for part in found) == 7


def test_how_submissions_were_kept_apart_is_no_comment_to_a_student(grade):
    outcome = grade()
    notebook = json.loads(outcome.notebook)
    isolation = notebook["metadata"]["autograder"]["isolation"]
    for cell in notebook["cells"]:
        if cell["id"] == "softmax":
            cell["metadata"]["nbgrader"]["comment"] = f"Well done. Graded at {isolation}."
    page = page_of(json.dumps(notebook))
    assert page.count(isolation) <= 1 and "<p>Well done.</p>" in page


def test_points_taken_off_for_lateness_are_said(grade):
    assert "1.5 points were taken off because it was handed in late" in page_of(grade().notebook, late_penalty=1.5)


def formgrader_of(notebook: str) -> str:
    config = Config()
    configure_pages(config)
    config.HTMLExporter.template_name = "formgrade"
    node = nbformat.from_dict(json.loads(notebook))
    resources = {"nbgrader": {}, "base_url": "", "submission_id": "1", "notebook_id": "attention", "assignment_id": "attention", "index": 0,
                 "total": 1}
    return HTMLExporter(config=config).from_notebook_node(node, resources=resources)[0]


def test_formgrader_needs_no_network_and_shows_nothing_live_of_the_students(grade):
    """Without a network nbgrader's own page had no MathJax, and the keys for scores and comments were dead."""
    innocent, page = (formgrader_of(grade({}, change).notebook) for change in (lambda notebook: None, hostile))
    assert "cdnjs" not in page and "window.MathJax = {Hub" in page and 'id="softmax-checks"' in page and "evil.example" in page
    assert live_in(page) == live_in(innocent)


def test_of_a_file_that_cannot_be_read_no_stub_is_shown_as_the_students(grade):
    notebook = json.loads(grade({}).notebook)
    assert notebook["metadata"]["autograder"]["outcome"] == "correct" and "Your answer" in page_of(json.dumps(notebook))
    notebook["metadata"]["autograder"]["outcome"] = "unreadable"
    page = page_of(json.dumps(notebook))
    assert "Your answer" not in page and "could not be read" in page and page.count("<tr>") > 7
