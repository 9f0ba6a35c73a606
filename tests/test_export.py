"""Out to other systems: Canvas's own export filled and nothing else touched, sheets that are read as text, nbgrader's own export."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from smallclass import ANSWER, COMMA, FORMULA, STUDENTS, grade, make_class
from support import ROOT
from typer.testing import CliRunner

from autograder.places import CourseError
from autograder.canvas import column_of, fill, grid_of, read_grid
from autograder.cli import app
from autograder.course import read_course
from autograder.imports import nbgrader_api
from autograder.pseudonym import pseudonyms
from autograder.scores import Scores, StudentScores, read_scores
from autograder.sheets import RISKY, number, safe_cell, sheet_text

HEAD = "Student,ID,SIS User ID,SIS Login ID,Section,Attention (4711),Multi-head attention (4712),Attention Final Score"
EXPORT = f'''{HEAD}\r
    Points Possible,,,,,47.5,10,(read only)\r
"Lovelace, Ada",11,s-11,ada,"Section ""A""",,3,77.50\r
"Carolson",1001,s-12,carol,A,7,,\r
"Noether, Emmy",13,"noether, emmy",emmy@example.org,A,,,\r
"Hopper, Grace",14,hopper,gh,A,,9.0,\r
"Nobody, Known",15,s-15,nn,A,,,\r
"Student, Test",16,,a1b2c3,A,,,\r
'''


def gradebook_of(folder: Path):
    """nbgrader's own door to the gradebook."""
    return nbgrader_api().Gradebook(read_course(folder / "course.yaml").db_url)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The small class, graded, with a score by hand and a deduction for being late, as nbgrader stores them."""
    folder = make_class(tmp_path_factory.mktemp("class"))
    grade(folder)
    with gradebook_of(folder) as gradebook:
        notebook = gradebook.find_submission_notebook("attention", "attention", "ada")
        written = next(one for one in notebook.grades if one.cell.name == ANSWER)
        written.manual_score, written.needs_manual_grade = 1.5, False
        gradebook.find_submission_notebook("attention", "attention", "hopper").late_submission_penalty = 4.25
        gradebook.db.commit()
    (folder / "export.csv").write_bytes(b"\xef\xbb\xbf" + EXPORT.encode())
    return folder


@pytest.fixture
def run(course, monkeypatch):
    monkeypatch.chdir(course)

    def invoke(*arguments: str, status: int = 0) -> str:
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == status, done.output
        return done.output
    return invoke


def totals(course: Path) -> dict[str, float]:
    """Every student's total as nbgrader's gradebook has it."""
    with gradebook_of(course) as gradebook:
        return {one.student_id: max(0.0, one.score - one.late_submission_penalty) for one in gradebook.assignment_submissions("attention")}


def test_the_canvas_export_read_back_gives_the_gradebooks_scores(course, run):
    said = run("export", "canvas", "attention", "--gradebook", "export.csv", "--out", "filled.csv", "--column", "4711", status=3)
    rows = {row["ID"]: row for row in csv.DictReader(io.StringIO((course / "filled.csv").read_text(encoding="utf-8-sig")))}
    got = {key: rows[key]["Attention (4711)"] for key in ("11", "1001", "13", "14")}
    want = totals(course)
    assert {key: float(value) for key, value in got.items()} == {
        "11": want["ada"],
        "1001": want["carolson_1001"],
        "13": want[COMMA],
        "14": want["hopper"],
    }
    assert want["ada"] == 47 and want["hopper"] == 42 - 4.25
    assert rows["15"]["Attention (4711)"] == rows["16"]["Attention (4711)"] == ""
    for name in ("turing", "untouched", "unreadable", FORMULA, "Nobody, Known"):
        assert name in said
    assert "1 of these scores are without an answer that still waits for a person" in " ".join(said.split())


def test_all_other_bytes_of_the_export_stay(course, run):
    run("export", "canvas", "attention", "--gradebook", "export.csv", "--out", "filled.csv", "--column", "Attention (4711)", status=3)
    before, after = ((course / name).read_bytes().split(b"\r\n") for name in ("export.csv", "filled.csv"))
    assert before[:2] == after[:2] and before[6:] == after[6:] and len(before) == len(after)
    assert after[2] == b'"Lovelace, Ada",11,s-11,ada,"Section ""A""",47,3,77.50'


def test_the_guides_command_is_that_one(course, run):
    command, = re.findall(r"`autograder (export canvas [^`]*)`", (ROOT / "guides/export.md").read_text(encoding="utf-8"))
    (course / "canvas.csv").write_bytes(EXPORT.replace("Multi-head attention", "Multi-head").encode())
    run(*command.split(), status=3)
    assert b",47,3," in (course / "filled.csv").read_bytes()


def test_without_a_gradebook_there_is_nothing_and_none_is_made(tmp_path):
    (tmp_path / "course.yaml").write_bytes((ROOT / "course.yaml").read_bytes())
    assert read_scores(read_course(tmp_path / "course.yaml"), "attention").students == {}
    assert [path.name for path in tmp_path.iterdir()] == ["course.yaml"]
    (tmp_path / "gradebook.db").write_bytes(b"this is no database, it is a text of some length and more of it")
    with pytest.raises(CourseError, match="gradebook.db cannot be read"):
        read_scores(read_course(tmp_path / "course.yaml"), "attention")
    for url in ("no address", "mssql://staff:secret@host/db"):
        with pytest.raises(CourseError, match="db_url in course.yaml cannot be used") as refused:
            read_scores(read_course(tmp_path / "course.yaml").model_copy(update={"db_url": url}), "attention")
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("wanted", "said"), [("Nothing", "no assignment of the export"), ("Attention Final Score", "no assignment of the export")]
)
def test_an_unknown_column_is_refused_with_the_candidates(wanted, said):
    with pytest.raises(CourseError, match=said) as refused:
        column_of(grid_of(EXPORT), "attention", wanted)
    assert '"Attention (4711)", "Multi-head attention (4712)"' in str(refused.value)


def test_a_column_is_found_by_the_assignments_name_or_not_guessed():
    assert column_of(grid_of(EXPORT), "attention", None) == 5
    twice = EXPORT.replace("Multi-head attention", "Attention")
    with pytest.raises(
        CourseError, match='2 columns .* could be meant by "attention"; choose one with --column: "Attention .4711.", "Attention .4712."'
    ):
        column_of(grid_of(twice), "attention", None)


@pytest.mark.parametrize(
    ("student", "why"), [("grace_1001", "which is another name"), ("carolson_9", "no row has it"), ("s-99", "no row has it")]
)
def test_nobodys_score_goes_into_anothers_row(student, why):
    filled = fill(grid_of(EXPORT), Scores(47.5, {}, {student: StudentScores(machine=3)}), "attention")
    assert filled.scores == {} and why in filled.without_row[student]


def test_two_who_claim_a_row_get_nothing_and_are_named():
    grid = grid_of(EXPORT)
    filled = fill(
        grid,
        Scores(47.5, {}, {"ada": StudentScores(machine=3), "11": StudentScores(machine=4), "gh": StudentScores(machine=5)}),
        "attention",
    )
    assert filled.scores == {"gh": 5} and set(filled.without_row) == {"ada", "11"} and grid.value(2, 5) == ""


def test_other_points_possible_are_pointed_out():
    assert "47.5 points possible" in fill(grid_of(EXPORT), Scores(50, {}, {}), "attention").warnings[0]
    assert fill(grid_of(EXPORT), Scores(47.5, {}, {}), "attention").warnings == []


@pytest.mark.parametrize("data", [b"a,b\n1,2\n", b"", b"\xff\xfe\0"])
def test_what_is_no_export_is_refused(tmp_path, data):
    path = tmp_path / "x.csv"
    path.write_bytes(data)
    with pytest.raises(CourseError, match="x.csv"):
        read_grid(path)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=12)


@settings(deadline=None)
@given(
    st.lists(st.lists(TEXTS, min_size=2, max_size=5), min_size=1, max_size=5),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_a_grid_holds_what_csv_reads_and_gives_the_same_bytes_back(rows, end, quoting):
    stream = io.StringIO()
    csv.writer(stream, lineterminator=end, quoting=quoting).writerows([["Student", "ID"], *rows])
    grid = grid_of(stream.getvalue())
    assert grid.data() == stream.getvalue().encode()
    assert [[grid.value(r, c) for c in range(len(row))] for r, row in enumerate(grid.rows)] == [["Student", "ID"], *rows]


@settings(deadline=None)
@given(TEXTS)
def test_any_text_grid_gives_the_same_bytes_back(text):
    assert grid_of(text).data() == text.encode()


@settings(deadline=None)
@given(
    st.lists(
        st.lists(
            st.one_of(
                st.text(max_size=8),
                st.sampled_from(["=1+1", " =1", "\t=1", "-2", "+a", "@x", "\r=2", "\0=3", "\n=4", "\ufeff=5"]),
                st.floats(-1e6, 1e6),
                st.none(),
            ),
            min_size=1,
            max_size=4,
        ),
        max_size=4,
    )
)
def test_no_cell_is_a_formula_and_every_row_is_a_line(rows):
    text = sheet_text(["head"], rows)
    read = list(csv.reader(io.StringIO(text)))
    assert len(read) == len(rows) + 1 == text.count("\n")
    for row, cells in zip(rows, read[1:]):
        for value, cell in zip(row, cells):
            assert (
                not cell.lstrip("\ufeff \u00a0").startswith(RISKY)
                or isinstance(value, float)
                and float(cell) == pytest.approx(value, abs=1e-4)
            )


@settings(deadline=None)
@given(st.text(max_size=10))
def test_making_a_cell_safe_loses_nothing_but_line_breaks(text):
    assert safe_cell(text).removeprefix("'").split() == text.replace("\0", "").removeprefix("'").split() or text.startswith("'")


@settings(deadline=None)
@given(st.floats(-1e5, 1e5))
def test_a_number_reads_back(value):
    assert float(number(value)) == pytest.approx(value, abs=5.1e-5) and "e" not in number(value)


def test_the_sheet_is_the_gradebook(course, run):
    run("export", "csv", "attention", "--out", "scores.csv")
    rows = {row["student"].removeprefix("'"): row for row in csv.DictReader((course / "scores.csv").open(encoding="utf-8", newline=""))}
    assert set(rows) == set(STUDENTS)
    assert {student: float(row["attention"]) for student, row in rows.items()} == totals(course)
    scores = read_scores(read_course(course / "course.yaml"), "attention")
    assert float(rows["hopper"]["attention late deduction"]) == 4.25 and float(rows["ada"]["attention by hand"]) == 1.5
    assert rows["ada"]["attention: simple_attention (of 7)"] == "7" and scores.most == float(rows["ada"]["attention of"]) == 47.5
    assert "\n'=cmd" in (course / "scores.csv").read_text()


def test_of_whom_nothing_lies_there_any_more_is_told_and_how_to_take_them_out(course, run):
    away = course / "submitted" / "ada"
    away.rename(course / "ada-is-away")
    try:
        said = run("export", "csv", "attention", "--out", "scores.csv")
    finally:
        (course / "ada-is-away").rename(away)
    assert "nothing lies in submitted/ any more: ada;" in said and "nbgrader db student remove" in said
    assert "any more" not in run("export", "csv", "attention", "--out", "scores.csv")


def test_an_anonymous_sheet_has_the_pseudonyms_of_the_report(course, run):
    out = run("export", "csv", "attention", "--out", "-", "--anonymous")
    named = pseudonyms(read_course(course / "course.yaml").seed, STUDENTS)
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == sorted(named.values())


def test_nbgraders_own_export_still_works(course):
    done = subprocess.run([sys.executable, "-m", "nbgrader", "export", "--to", "nbgrader.csv"], cwd=course, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr[-2000:]
    lines = (course / "nbgrader.csv").read_text().splitlines()
    rows = {row["student_id"]: row for row in csv.DictReader(lines) if row["student_id"] in totals(course) and "," not in row["student_id"]}
    assert float(rows["ada"]["score"]) == totals(course)["ada"] == 47 and float(rows["hopper"]["late_submission_penalty"]) == 4.25
