"""The late policy: its arithmetic, its errors, and what it does in the gradebook, through both doors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from classes import ENVIRONMENT, grade, lay_out
from hypothesis import given
from hypothesis import strategies as st
from postgres import rows
from support import ROOT

from autograder.places import CourseError
from autograder.course import Course, Late, read_course
from autograder.late import days_late, late_result, percent_off, points_off

DUE = datetime(2027, 2, 12, 22, 59, tzinfo=timezone.utc)
BERLIN = ZoneInfo("Europe/Berlin")
POLICIES = st.builds(Late, grace_minutes=st.integers(0, 3000), percent_per_day=st.integers(0, 100), most_percent=st.integers(0, 100),
                     nothing_after_days=st.none() | st.integers(0, 20), time_zone=st.sampled_from([None, "Europe/Berlin", "America/New_York", "Asia/Kolkata"]))
MOMENTS = st.datetimes(datetime(2027, 1, 1), datetime(2028, 1, 1), timezones=st.just(timezone.utc))
SECONDS = st.integers(-10_000, 4_000_000)


def course_of(policy: Late | None, due=DUE, extensions=()) -> Course:
    return Course(course="c", seed=1, assignments=[{"name": "a", "due": due, "extensions": dict(extensions)}], late=policy)


def off(policy: Late, due: datetime, seconds: float, total: float) -> float:
    late = late_result(course_of(policy, due), "a", "ada", due + timedelta(seconds=seconds), total)
    return late.penalty if late else 0.0


@given(POLICIES, MOMENTS, SECONDS, SECONDS, st.integers(0, 400).map(lambda quarters: quarters / 4))
def test_the_later_the_more_but_never_above_the_cap_nor_below_nothing(policy, due, one, other, total):
    less, more = (off(policy, due, seconds, total) for seconds in sorted((one, other)))
    assert 0 <= less <= more <= total
    if policy.nothing_after_days is None:
        assert more <= total * policy.most_percent / 100 + 1e-9
    for seconds in (one, other):
        if seconds <= policy.grace_minutes * 60:
            assert off(policy, due, seconds, total) == 0


@given(POLICIES, MOMENTS, SECONDS, st.sampled_from([timezone.utc, BERLIN, ZoneInfo("Pacific/Auckland"), timezone(timedelta(hours=-7))]))
def test_the_zone_in_which_a_date_is_written_does_not_matter(policy, due, seconds, zone):
    handed_in = due + timedelta(seconds=seconds)
    assert days_late(due.astimezone(zone), handed_in, policy) == days_late(due, handed_in, policy) == days_late(due, handed_in.astimezone(zone), policy)


@given(MOMENTS, st.integers(1, 60))
def test_by_the_clock_the_same_time_n_days_later_is_n_days_late(due, days):
    """Through both changes of the clocks; a second later another day has begun."""
    policy = Late(percent_per_day=1, time_zone="Europe/Berlin")
    local = due.replace(hour=12).astimezone(BERLIN)
    then = (local.replace(tzinfo=None) + timedelta(days=days)).replace(tzinfo=BERLIN)
    assert days_late(local, then, policy) == days
    assert days_late(local, then.astimezone(timezone.utc) + timedelta(seconds=1), policy) == days + 1


@pytest.mark.parametrize("due, handed_in, plain, by_the_clock", [
    ("2027-03-27T23:59:00+01:00", "2027-03-28T23:59:00+02:00", 1, 1), ("2027-10-30T23:59:00+02:00", "2027-10-31T23:59:00+01:00", 2, 1),
    ("2027-10-30T23:59:00+02:00", "2027-10-31T22:59:00+01:00", 1, 1), ("2027-03-27T23:59:00+01:00", "2027-03-29T00:00:00+02:00", 1 + 1 - 1, 2)])
def test_a_change_of_the_clocks(due, handed_in, plain, by_the_clock):
    due, handed_in = datetime.fromisoformat(due), datetime.fromisoformat(handed_in)
    assert days_late(due, handed_in, Late(percent_per_day=10)) == plain
    assert days_late(due, handed_in, Late(percent_per_day=10, time_zone="Europe/Berlin")) == by_the_clock


@given(st.integers(0, 10_000).map(lambda n: n / 100), st.integers(0, 100))
def test_points_are_whole_hundredths_and_at_most_the_percentage(total, percent):
    taken = points_off(total, float(percent))
    assert 0 <= taken <= total and abs(taken * 100 - round(taken * 100)) < 1e-6
    assert total * percent / 100 - 0.01 < taken + 1e-9 and taken <= total * percent / 100 + 1e-9


@pytest.mark.parametrize("days, total, said", [
    (2, 44.5, "2 days late: 20 % of 44.5 = 8.9 points taken off"), (1, 10, "1 day late: 10 % of 10 = 1 points taken off"),
    (6, 10, "6 days late: 30 % (the most) of 10 = 3 points taken off"), (8, 10, "8 days late: nothing counts after 7 days, all 10 points taken off")])
def test_the_sentence_can_be_checked_by_hand(days, total, said):
    policy = Late(percent_per_day=10, most_percent=30, nothing_after_days=7)
    assert late_result(course_of(policy), "a", "ada", DUE + timedelta(days=days), total).reason == said


def test_the_grace_the_extension_and_what_is_not_late():
    policy = Late(percent_per_day=10, grace_minutes=15)
    late = late_result(course_of(policy), "a", "ada", DUE + timedelta(minutes=10), 10)
    assert late.penalty == 0 and late.reason == "10 minutes late: within the grace of 15 minutes, no points taken off"
    extended = course_of(policy, extensions={"ada": DUE + timedelta(days=2)}.items())
    assert late_result(extended, "a", "ada", DUE + timedelta(days=2), 10) is None
    assert late_result(extended, "a", "ada", DUE + timedelta(days=2, hours=1), 10).reason.startswith("1 day late after the extension: 10 % of 10")
    assert late_result(extended, "a", "bob", DUE + timedelta(days=2, hours=1), 10).days_late == 3
    assert late_result(course_of(policy), "a", "ada", None, 10) is None and late_result(course_of(None), "a", "ada", DUE + timedelta(days=9), 10) is None
    assert late_result(course_of(policy, due=None), "a", "ada", DUE, 10) is None and percent_off(3, policy) == 30


GOOD = (ROOT / "course.yaml").read_text()
FIRST = "    due: 2027-02-12T23:59:00+01:00\n"


@pytest.mark.parametrize("text, line, said", [
    (GOOD + "\nlate:\n  grace_minutes: 15\n", "late:", "percent_per_day: field required; add it"),
    (GOOD + "\nlate:\n  percent_per_day: 130\n", "percent_per_day", "less than or equal to 100"),
    (GOOD + "\nlate:\n  percent_per_day: 10\n  percent_a_week: 3\n", "percent_a_week", "remove it or correct its spelling"),
    (GOOD + "\nlate:\n  percent_per_day: 10\n  time_zone: Berlin\n", "time_zone", "there is no time zone 'Berlin'; give an IANA name"),
    (GOOD.replace(FIRST, FIRST + "    extensions:\n      ada: 2027-02-14T23:59:00\n"), "ada:", "time"),
    (GOOD.replace(FIRST, FIRST + "    extensions: {ada: 2027-02-11T23:59:00+01:00}\n"), "extensions", "ends before the assignment is due"),
    (GOOD.replace(FIRST, "    extensions: {ada: 2027-02-14T23:59:00+01:00}\n"), "extensions", "no due date to extend; add `due:`"),
    (GOOD.replace("sqlite:///gradebook.db", "postgresql://a:${NOT_SET_ANYWHERE}@h/x"), "db_url", "export NOT_SET_ANYWHERE="),
    (GOOD.replace("sqlite:///gradebook.db", "mysql://a:secret@h/x"), "db_url", "SQLite or PostgreSQL, not by 'mysql'"),
    (GOOD.replace("sqlite:///gradebook.db", "[postgresql://a:secret@h/x]"), "db_url", "string")])
def test_an_error_names_its_line_and_what_mends_it(tmp_path, text, line, said):
    (tmp_path / "course.yaml").write_text(text)
    number = next(number for number, one in enumerate(text.splitlines(), 1) if line in one and not one.startswith("#"))
    with pytest.raises(CourseError) as caught:
        read_course(tmp_path / "course.yaml")
    assert said in str(caught.value) and f"course.yaml:{number}:" in str(caught.value) and "secret" not in str(caught.value)


def test_a_password_from_the_environment_may_hold_anything(tmp_path, monkeypatch):
    from sqlalchemy import make_url
    monkeypatch.setenv("SECRET", "a@b:c/d?e#%41$")
    monkeypatch.setenv("HOST", "db.example.org:5433")
    for scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        (tmp_path / "course.yaml").write_text(GOOD.replace("sqlite:///gradebook.db", scheme + "://staff:${SECRET}@${HOST}/grades"))
        url = make_url(read_course(tmp_path / "course.yaml").db_url)
        assert (url.drivername, url.password, url.host, url.port, url.database) == ("postgresql+psycopg", "a@b:c/d?e#%41$", "db.example.org", 5433, "grades")


POLICY = "late:\n  grace_minutes: 15\n  percent_per_day: 10\n  most_percent: 50\n"
AFTER = {"01": -60, "02": 10, "03": 60, "04": 2880, "05": 30000, "06": 2890}  # minutes after it was due


def with_times(folder):
    for place in (folder / "submitted").iterdir():
        when = DUE + timedelta(minutes=AFTER[place.name[:2]])
        (place / "attention/timestamp.txt").write_text(when.strftime("%Y-%m-%d %H:%M:%S UTC"))
    text = (folder / "course.yaml").read_text()
    sixth = next(place.name for place in (folder / "submitted").iterdir() if place.name.startswith("06"))
    (folder / "course.yaml").write_text(text.replace(FIRST, f"{FIRST}    extensions:\n      {sixth}: 2027-02-14T23:59:00+01:00\n"))
    return folder


def penalties(folder) -> dict[str, float | None]:
    return {row[1][:2]: row[5] for row in rows(f"sqlite:///{folder}/gradebook.db")["submission"]}


def nbgrader(folder, *command: str) -> None:
    environment = ENVIRONMENT | {"PATH": f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, "-m", "nbgrader", *command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module")
def late_class(tmp_path_factory):
    """A class of six, from early to very late, one with an extension, graded by `autograder grade`."""
    folder = with_times(lay_out(tmp_path_factory.mktemp("late"), late=POLICY))
    grade(folder, "--feedback", "--json", "results.json")
    return folder


def page(folder, number: str) -> str:
    return next(folder.glob(f"feedback/{number}*/attention/attention.html")).read_text()


def test_results_gradebook_and_pages_say_what_was_taken_off(late_class):
    results = {one["student"][:2]: one for one in json.loads((late_class / "results.json").read_text())["submissions"]}
    total = {number: results[number]["score"] for number in results}
    assert {number: one["late"] and (one["late"]["days_late"], one["late"]["percent"], one["late"]["penalty"]) for number, one in results.items()} == {
        "01": None, "02": (0, 0, 0), "03": (1, 10, points_off(total["03"], 10.0)), "04": (2, 20, points_off(total["04"], 20.0)),
        "05": (21, 50, points_off(total["05"], 50.0)), "06": (0, 0, 0)}
    for one in results.values():
        assert one["late"] is None or one["late"]["total_after"] == one["score"] - one["late"]["penalty"] >= 0
    assert penalties(late_class) == {number: one["late"]["penalty"] or None if one["late"] else None for number, one in results.items()}
    said = results["04"]["late"]["reason"]
    assert said == f"2 days late: 20 % of {total['04']:g} = {results['04']['late']['penalty']:g} points taken off"
    assert said in page(late_class, "04") and f"{round(results['04']['late']['penalty'], 2):g} points were taken off because" in page(late_class, "04") and "Handed in late" not in page(late_class, "01")
    assert any(said in (row[3] or "") for row in rows(f"sqlite:///{late_class}/gradebook.db")["comment"])


def test_both_doors_agree_and_nbgrader_exports_it(late_class, tmp_path):
    folder = with_times(lay_out(tmp_path, late=POLICY))
    nbgrader(folder, "autograde", "attention")
    assert rows(f"sqlite:///{folder}/gradebook.db") == rows(f"sqlite:///{late_class}/gradebook.db")
    nbgrader(folder, "generate_feedback", "attention", "--force")
    assert rows(f"sqlite:///{folder}/gradebook.db") == rows(f"sqlite:///{late_class}/gradebook.db")
    assert "2 days late: 20 %" in page(folder, "04")
    nbgrader(folder, "export")
    lines = [line.split(",") for line in (folder / "grades.csv").read_text().splitlines()]
    exported = {line[3][:2]: dict(zip(lines[0], line, strict=True)) for line in lines[1:] if line[0] == "attention"}
    for number, penalty in penalties(folder).items():
        assert float(exported[number]["late_submission_penalty"]) == (penalty or 0)
        assert float(exported[number]["score"]) == float(exported[number]["raw_score"]) - (penalty or 0)


def test_a_changed_policy_date_or_extension_changes_grades_without_grading(late_class, tmp_path):
    """And points that a person gives count as well; the pages follow."""
    import shutil
    folder = tmp_path / "course"
    shutil.copytree(late_class, folder)
    text = (folder / "course.yaml").read_text()

    def again(changed: str) -> dict[str, float | None]:
        (folder / "course.yaml").write_text(changed)
        assert "6 as they were graded before, 0 graded now" in grade(folder, "--feedback")
        return penalties(folder)
    before = penalties(folder)
    cheaper = again(text.replace("percent_per_day: 10", "percent_per_day: 5"))
    assert cheaper["03"] < before["03"] and cheaper["04"] == points_off(before["04"] * 5, 10.0) and "2 days late: 10 %" in page(folder, "04")
    line = next(one for one in text.splitlines(keepends=True) if "2027-02-14" in one)
    without = again(text.replace(line, "").replace("    extensions:\n", ""))
    assert without["06"] > 0 == (before["06"] or 0) and "2 days late: 20 %" in page(folder, "06")
    assert again(text.replace(line, "").replace("    extensions:\n", "").replace("late:\n", "x:\n").replace(POLICY[6:], "").replace("x:\n", "")) == dict.fromkeys(before)
    from nbgrader.api import Gradebook
    with Gradebook(f"sqlite:///{folder}/gradebook.db", "transformers") as gradebook:
        fourth = next(path.name for path in (folder / "submitted").iterdir() if path.name.startswith("04"))
        given = gradebook.find_grade("why-divide-by-the-root", "attention", "attention", fourth)
        given.manual_score = 2.0
        gradebook.db.commit()
    assert again(text)["04"] == points_off(before["04"] * 5 + 2.0, 20.0)
    assert f"of {before['04'] * 5 + 2:g} =" in page(folder, "04")
