"""The class report: right numbers, nobody's names where it is anonymous, no script of a student's, and what changed between two runs."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
from html.parser import HTMLParser

import pytest
from smallclass import COMMA, FORMULA, MARKUP, STUDENTS, grade, make_class
from support import ROOT
from typer.testing import CliRunner

from autograder.cli import app
from autograder.results import Results

NAMES = [name for name in STUDENTS if name not in ("half", "copies", "unreadable", "untouched")] + [
    "Carol",
    "carolson",
    "/home",
    "C:\\",
    "hw.py",
]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The small class, graded once; `old.json` is its results document."""
    folder = make_class(tmp_path_factory.mktemp("class"))
    (folder / "old.json").write_text(grade(folder).model_dump_json(by_alias=True))
    return folder


@pytest.fixture
def run(course, monkeypatch):
    """Run the command line in the course's folder; returns what it printed."""
    monkeypatch.chdir(course)

    def invoke(*arguments: str) -> str:
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output
    return invoke


class Page(HTMLParser):
    """What a browser would make of a page: tags with their attributes, and the text outside of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.scripts, self.texts, self.inside = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside != "style":
            (self.scripts if self.inside == "script" else self.texts).append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def page(course):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course)
        CliRunner().invoke(app, ["report", "attention", "--markdown", "r.md", "--csv", "r.csv"], catch_exceptions=False)
    return Page((course / "reports/attention.html").read_text(encoding="utf-8"))


def test_the_page_runs_its_own_two_scripts_and_asks_for_nothing_else(page):
    policy = next(attributes["content"] for tag, attributes in page.tags if attributes.get("http-equiv") == "Content-Security-Policy")
    allowed = re.search(r"script-src ([^;]*)", policy)[1].split()
    assert allowed == [f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in page.scripts]
    assert len(allowed) == 2 and "default-src 'none'" in policy
    assert not [attributes for _, attributes in page.tags if {"src", "onerror", "onload", "onclick"} & attributes.keys()]
    assert {attributes["href"][0] for tag, attributes in page.tags if "href" in attributes} == {"#"}
    assert not [tag for tag, _ in page.tags if tag in ("img", "link", "iframe", "object", "form")]


def test_a_students_name_and_text_stay_text(page):
    assert MARKUP in page.text and "alert(2)" not in "".join(page.scripts[1:])
    assert all("alert" not in str(attributes) for _, attributes in page.tags)


def test_everything_has_a_heading_a_caption_or_a_description(page):
    tables = sum(tag == "table" for tag, _ in page.tags)
    assert tables == sum(tag == "caption" for tag, _ in page.tags) > 12
    assert [tag for tag, _ in page.tags if tag in ("h1", "main")] == ["main", "h1"]
    figures = [attributes for tag, attributes in page.tags if attributes.get("role") == "img"]
    assert {attributes["id"] for attributes in figures} == {"scores", "exercises", "times"} and all(
        attributes["aria-label"] for attributes in figures
    )
    places = {attributes.get("id") for _, attributes in page.tags}
    assert all(attributes["href"][1:] in places for tag, attributes in page.tags if tag == "a")
    drawn = re.match(r"const figures = (\{.*\});\n", page.scripts[1])
    assert set(json.loads(drawn[1])) == {attributes["id"] for attributes in figures}


def rows_of(course) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((course / "r.csv").read_text(encoding="utf-8"))))


def test_the_numbers_are_those_of_the_results(page, course):
    results = Results.model_validate_json((course / "old.json").read_bytes())
    readable = [one for one in results.submissions if one.outcome != "unreadable"]
    rows = rows_of(course)
    assert {
        row["student"].removeprefix("'"): float(row["value"]) for row in rows if row["what"] == "student" and row["kind"] == "by machine"
    } == {one.student: one.score for one in results.submissions}
    held: dict[tuple[str, str, str], int] = {}
    for one in readable:
        for exercise in one.exercises:
            for check in exercise.checks:
                key = (exercise.name, check.name, f"{check.visibility} check")
                held[key] = held.get(key, 0) + (check.outcome == "correct")
    told = {(row["exercise"], row["check"], row["what"]): int(row["value"]) for row in rows if row["check"] and row["kind"] == "correct"}
    assert told == {key: count for key, count in held.items() if count}
    assert {row["of"] for row in rows if row["check"]} == {str(len(readable))} and len(readable) == len(STUDENTS) - 1
    assert {row["what"]: row["value"] for row in rows if row["what"] in ("handed in", "attempted", "could not be read")} == {
        "handed in": "12", "attempted": "10", "could not be read": "1"}


def test_a_mistake_is_named_with_one_example_that_names_nobody(page, course):
    row, = [row for row in rows_of(course) if row["what"] == "mistake"]
    assert (row["exercise"], row["value"]) == ("simple_attention", "2")
    shown = page.text[page.text.index("Mistakes that have a name"):page.text.rindex("Time and attempts")]
    assert shown.count("def simple_attention(X):") == 1 and "X.shape[-1] ** 0.5" in shown
    assert not re.search("hopper|liskov|/home|Users|remark", shown)


def test_the_same_code_after_renaming_is_a_group_worded_with_care(page, course):
    groups = {(row["kind"], row["exercise"], row["student"]) for row in rows_of(course) if row["what"] == "same code"}
    assert groups == {("group 1", "scaled_dot_product_attention", student) for student in ("carolson_1001", "copies")}
    assert "For a person to look at, and no more" in page.text and "Nothing is graded by it." in page.text


def test_times_attempts_isolation_and_repairs_are_told(page, course):
    rows = rows_of(course)
    assert {
        (row["student"], row["kind"]): float(row["value"]) for row in rows if row["kind"] in ("hours before due", "notebooks handed in")
    } == {("ada", "hours before due"): 10, ("hopper", "hours before due"): -14, ("ada", "notebooks handed in"): 2}
    assert re.search(r"isolation level (isolated|confined|limited|none)", page.text)
    assert [row["student"] for row in rows if row["what"] == "remark" and "not valid Python" in row["text"]] == ["turing"]


def test_anonymous_formats_hold_no_name_file_or_path(course, run):
    run("report", "attention", "--anonymous", "--html", "a.html", "--markdown", "a.md", "--csv", "a.csv", "--since", "old.json")
    html = Page((course / "a.html").read_text(encoding="utf-8"))
    for text in (html.text, json.dumps(html.tags), html.scripts[1], (course / "a.md").read_text(), (course / "a.csv").read_text()):
        assert not [name for name in NAMES if re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", text, re.IGNORECASE)]
        assert str(course) not in text
    order = [row["student"] for row in csv.DictReader((course / "a.csv").open()) if row["what"] == "student" and row["kind"] == "total"]
    assert order == sorted(order) and len(set(order)) == len(STUDENTS)
    run("report", "attention", "--anonymous", "--html", "again.html")
    assert [row in html.text for row in order] == [True] * len(order)
    assert all(name in Page((course / "again.html").read_text()).text for name in order)


def test_markdown_and_csv_are_safe_to_open(page, course):
    cells = [cell for row in csv.reader((course / "r.csv").open(newline="")) for cell in row]
    assert f"'{FORMULA}" in cells and COMMA in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not re.fullmatch(r"-[\d.]+", cell)]
    assert "<img" not in (course / "r.md").read_text() and "&lt;img" in (course / "r.md").read_text()


def test_nothing_graded_is_an_error_that_says_what_to_do(course, run, capsys, monkeypatch):
    from autograder.cli import main
    for arguments, said in (
        (["report", "multihead"], "autograder grade multihead"),
        (["report", "attention", "--since", "r.csv"], "no results document"),
        (["report", "attention", "--results", "gone.json"], "cannot be read"),
    ):
        monkeypatch.setattr("sys.argv", ["autograder", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        assert said in " ".join(capsys.readouterr().err.split())


def test_what_changed_between_two_runs_is_told_with_its_cause(course, run, monkeypatch):
    assert "0 changed, 12 came out as before" in run("report", "attention", "--since", "old.json")
    assert "Kit, checks, seed, limits and level are as before." in run("report", "attention", "--since", "old.json")
    path = course / "submitted/turing/attention/attention.ipynb"
    path.write_bytes((course / "submitted/ada/attention/attention.ipynb").read_bytes())
    assert "1 submissions are new or changed since" in run("report", "attention")
    grade(course)
    said = " ".join(run("report", "attention", "--since", "old.json").split())
    assert "turing" in said and "36.5" in said and "45.5" in said and "1 changed, 11 came out as before" in said and "another" in said
    told = Page((course / "reports/attention.html").read_text()).text
    assert "What changed since old.json" in told and "another notebook was graded" in told
    assert "raised (0 of 1) → correct (1 of 1)" in told


@pytest.mark.parametrize(("change", "said"), [
    (lambda d: d.update(kit_version="0.0.9"), "version changed from 0.0.9"),
    (lambda d: d["marks"].update(seeded="x", all="x"), "The course's seed changed"),
    (lambda d: d["marks"].update(kit="x"), "Files of the kit or of the assignment's exercises changed"),
    (lambda d: d["marks"].update(all="x"), "The limits, the release"),
    (lambda d: d.update(isolation="limited"), "The isolation level changed from limited"),
    (lambda d: d.pop("marks"), "the older document does not say"),
    (lambda d: [e["checks"].pop() for one in d["submissions"] for e in one["exercises"][:1]], "Checks: 1 added"),
])
def test_every_cause_is_told(course, run, change, said):
    document = json.loads((course / "old.json").read_text())
    change(document)
    (course / "changed.json").write_text(json.dumps(document))
    assert said in " ".join(run("report", "attention", "--since", "changed.json").split())


def test_a_results_document_can_be_reported_by_itself(course, run):
    run("report", "attention", "--results", "old.json", "--html", "b.html", "--csv", "b.csv")
    assert Page((course / "b.html").read_text()).text.count("ada") and "student,,,by machine,turing,36.5," in (course / "b.csv").read_text()


def test_the_pages_templates_are_in_the_package():
    assert '"pages/*"' in (ROOT / "pyproject.toml").read_text()
