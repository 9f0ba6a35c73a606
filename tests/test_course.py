"""course.yaml: read into a model, errors with line and mending step."""

import pytest
from support import ROOT

from autograder.places import CourseError
from autograder.course import find_root, read_course

GOOD = (ROOT / "course.yaml").read_text()


def read(tmp_path, text):
    (tmp_path / "course.yaml").write_text(text)
    return read_course(tmp_path / "course.yaml")


def test_the_courses_own_file_is_read(tmp_path):
    course = read(tmp_path, GOOD)
    assert [a.name for a in course.assignments] == ["attention", "multihead", "layernorm", "positional", "transformer", "vision"] and course.isolation.least == "confined"
    assert course.db_url == f"sqlite:///{tmp_path}/gradebook.db"


def line_of(text, part):
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


@pytest.mark.parametrize("old, new, part, said", [
    ("check_seconds: 5", "check_secnds: 5", "check_secnds", "remove it or correct its spelling"),
    ("check_seconds: 5", "check_seconds: soon", "check_seconds", "'soon'; correct it"),
    ("least: confined", "least: strict", "least: strict", "isolated"),
    ("due: 2027-02-12T23:59:00+01:00", "due: 2027-02-12T23:59:00", "due:", "time"),
    ("name: attention", "name: Att ention", "name: Att", "pattern"),
    ("memory_mb: 3072", "memory_mb: 10", "memory_mb", "1024"),
])
def test_a_wrong_value_is_named_with_its_line(tmp_path, old, new, part, said):
    text = GOOD.replace(old, new)
    assert text != GOOD
    with pytest.raises(CourseError, match=said) as caught:
        read(tmp_path, text)
    assert f"course.yaml:{line_of(text, part)}:" in str(caught.value)


def test_a_missing_value_and_broken_yaml_are_named(tmp_path):
    with pytest.raises(CourseError, match="seed: field required; add it"):
        read(tmp_path, GOOD.replace("seed: 20261129", ""))
    with pytest.raises(CourseError, match=r"course.yaml:\d+: not valid YAML"):
        read(tmp_path, GOOD.replace("assignments:", "assignments: ]"))
    with pytest.raises(CourseError, match="cannot be read"):
        read_course(tmp_path / "nowhere.yaml")


def test_an_unknown_assignment_lists_the_known_ones(tmp_path):
    with pytest.raises(CourseError, match="lists attention"):
        read(tmp_path, GOOD).assignment("atention")


def test_the_root_is_found_from_below(tmp_path):
    (tmp_path / "course.yaml").write_text(GOOD)
    below = tmp_path / "submitted" / "s"
    below.mkdir(parents=True)
    assert find_root(below) == tmp_path.resolve()


@pytest.mark.parametrize("written", ["2027-02-20", "2027-02-20T12:00:00", "tomorrow", "'2027-02-30T12:00:00+01:00'", "[1]"])
def test_a_date_that_is_none_or_lacks_its_zone_is_told_how_to_write_it(tmp_path, written):
    path = tmp_path / "course.yaml"
    path.write_text(f"course: c\nseed: 1\nassignments:\n  - name: attention\n    due: 2027-02-12T23:59:00+01:00\n    extensions:\n      ada: {written}\n")
    with pytest.raises(CourseError, match=r":7: assignments\.0\.extensions\.ada: .* is no date with a time and a time zone; write it like 2027-02-20T23:59:00\+01:00"):
        read_course(path)
