"""One file: which assignment it belongs to, and what is said of a file that is no notebook."""

from __future__ import annotations

import pytest
from support import release_of

from autograder.places import CourseError
from autograder.checkfile import check_file


@pytest.mark.parametrize("data, said", [(b'{"cells": [', "not valid JSON at line 1"), (b"", "the file is empty"), (b'{"cells": []}', "holds no exercise of this kit")])
def test_a_file_of_another_name_is_told_what_is_the_matter_with_it(tmp_path, data, said):
    path = tmp_path / "hw.ipynb"
    path.write_bytes(data)
    with pytest.raises(CourseError, match=said):
        check_file(path)


def test_a_students_damaged_notebook_is_unreadable_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "attention.ipynb"
    path.write_bytes(b'{"cells": [')
    result = check_file(path).submissions[0]
    assert result.outcome == "unreadable" and "not valid JSON" in result.reason and {e.outcome for e in result.exercises} == {"unreadable"}


@pytest.mark.parametrize("assignment", ["multihead", "vision"])
def test_at_the_desk_an_untouched_class_is_not_attempted_although_its_init_is_given(tmp_path, monkeypatch, assignment):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"{assignment}.ipynb"
    path.write_text(release_of(assignment))
    assert {e.outcome for e in check_file(path).submissions[0].exercises} == {"not_attempted"}
