"""Intake: exports and odd files become submissions; the newest counts, nothing is lost, and what is harmful is refused by itself."""

from __future__ import annotations

import io
import json
import random
import shutil
import tarfile
import zipfile
from datetime import datetime, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from support import ROOT
from typer.testing import CliRunner

from autograder.cli import app
from autograder.collect import collect, safe_name
from autograder.notebook import read_submission
from autograder.parcels import MAX_FILE, MAX_NOTEBOOK, Item, Refused, opened
from autograder.report import show_collected
from autograder.submissions import find_notebook, handed_in

NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": "x = 1", "id": "a", "metadata": {}}], "metadata": {}}).encode()


def notebook(mark: str) -> bytes:
    return NOTEBOOK.replace(b"x = 1", f"x = '{mark}'".encode())


def zipped(path: Path, files: dict[str, bytes], *, hour: int = 12) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, data) in enumerate(files.items()):
            archive.writestr(zipfile.ZipInfo(name, (2027, 2, 1, hour, number, 0)), data)
    return path


def taken(root: Path) -> dict[str, str]:
    """Student to the mark in the notebook that was taken."""
    return {path.parts[-3]: read_submission(path).cells[0].source for path in root.glob("submitted/*/attention/attention.ipynb")}


CASES = {
    "canvas": ({"doejane_1234_99_attention.ipynb": b"old", "doejane_LATE_1234_100_attention-1.ipynb": b"new", "roejon_77_101_attention (1).ipynb": b"r"},
               {"doejane_1234": "new", "roejon_77": "r"}),
    "moodle": ({"Jane Doe_123_assignsubmission_file_/my hw.ipynb": b"j", "Åsa Öberg_9_assignsubmission_file/attention.ipynb": b"a"},
               {"Jane Doe": "j", "Åsa Öberg": "a"}),
    "gradescope": ({"assignment_1_export/submission_5/attention.ipynb": b"late", "assignment_1_export/submission_4/attention.ipynb": b"early",
                    "assignment_1_export/submission_metadata.yml":
                    b"submission_5:\n  :submitters:\n  - :name: Jane\n    :sid: s1\n  :created_at: 2027-02-02 10:00:00 Z\n"
                    b"submission_4:\n  :submitters:\n  - :name: Jane\n    :sid: s1\n  :created_at: 2027-02-01 10:00:00 Z\n"}, {"s1": "late"}),
    "nbgrader": ({"jane/attention/attention.ipynb": b"n", "jane/attention/timestamp.txt": b"2027-02-03 10:00:00 UTC"}, {"jane": "n"}),
    "flat": ({"jane.ipynb": b"j", "attention_jon.ipynb": b"o", "attention-mia (2).ipynb": b"m"}, {"jane": "j", "jon": "o", "mia": "m"}),
    "rubbish beside it": ({"jane/attention.ipynb": b"j", "__MACOSX/jane/._attention.ipynb": b"no", "jane/.ipynb_checkpoints/attention-checkpoint.ipynb": b"no"},
                          {"jane": "j"}),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("form", ["zip", "folder", "tar"])
def test_exports_become_submissions(tmp_path, name, form):
    files, expected = CASES[name]
    files = {path: notebook(data.decode()) if path.endswith(".ipynb") else data for path, data in files.items()}
    path = zipped(tmp_path / "export.zip", files)
    if form != "zip":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(tmp_path / "export")
        path = tmp_path / "export"
    if form == "tar":
        with tarfile.open(tmp_path / "export.tar.gz", "w:gz") as archive:
            archive.add(path, ".")
        path = tmp_path / "export.tar.gz"
    collect(tmp_path, "attention", [path])
    assert taken(tmp_path) == {student: f"x = '{mark}'" for student, mark in expected.items()}


def test_the_newest_attempt_counts_and_every_file_is_kept(tmp_path):
    first = zipped(tmp_path / "a.zip", {"jane/attention.ipynb": notebook("1"), "jane/notes.txt": b"hello"}, hour=10)
    second = zipped(tmp_path / "b.zip", {"jane/attention.ipynb": notebook("2")}, hour=11)
    collect(tmp_path, "attention", [second, first])
    assert taken(tmp_path) == {"jane": "x = '2'"}
    kept = [path.read_bytes() for path in (tmp_path / "collected/attention/jane").iterdir()]
    assert sorted(kept) == sorted([notebook("1"), notebook("2"), b"hello"])
    assert (tmp_path / "submitted/jane/attention/timestamp.txt").read_text().startswith("2027-02-01 11:00:00")
    again = collect(tmp_path, "attention", [second])
    assert again.unchanged == ["jane"] and not again.taken


def test_what_was_graded_before_is_kept_when_another_takes_its_place(tmp_path):
    place = tmp_path / "submitted/jane/attention"
    place.mkdir(parents=True)
    (place / "attention.ipynb").write_bytes(notebook("by hand"))
    collect(tmp_path, "attention", [zipped(tmp_path / "a.zip", {"jane/attention.ipynb": notebook("sent")})])
    assert notebook("by hand") in [path.read_bytes() for path in (tmp_path / "collected/attention/jane").iterdir()]


def test_a_dry_run_writes_nothing(tmp_path):
    path = zipped(tmp_path / "a.zip", {"jane/attention.ipynb": notebook("1"), "jane/notes.txt": b"hello"})
    assert list(collect(tmp_path, "attention", [path], dry_run=True).taken) == ["jane"]
    assert [p.name for p in tmp_path.iterdir()] == ["a.zip"]


def test_a_percent_script_becomes_a_notebook(tmp_path):
    path = zipped(tmp_path / "a.zip", {"jane/attention.py": b"# %% [markdown]\n# Hello\n\n# %%\nx = 1\n"})
    collect(tmp_path, "attention", [path])
    assert [c.source for c in read_submission(tmp_path / "submitted/jane/attention/attention.ipynb").cells] == ["Hello", "x = 1"]


def bomb() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("attention.ipynb", b"0" * (60 << 20))
    return data.getvalue()


def nested(depth: int) -> bytes:
    data = notebook("deep")
    for level in range(depth):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("attention.ipynb" if level == 0 else "inner.zip", data)
        data = buffer.getvalue()
    return data


def linked() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        link = tarfile.TarInfo("attention.ipynb")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return data.getvalue()


HARMFUL = {
    "a bomb": ("mallory/bomb.zip", bomb, "thousand times"), "nested beyond reason": ("mallory/nested.zip", lambda: nested(6), "nested more than"),
    "a link": ("mallory/link.tar", linked, "link"), "no zip at all": ("mallory/hw.zip", lambda: b"PK nonsense", "damaged"),
    "cut short": ("mallory/cut.zip", lambda: nested(1)[:60], "damaged"), "climbing": ("../../escape.ipynb", lambda: NOTEBOOK, "climbs out"),
    "absolute": ("/etc/escape.ipynb", lambda: NOTEBOOK, "climbs out"), "no notebook": ("mallory/essay.pdf", lambda: b"%PDF", "no notebook"),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_what_is_harmful_is_refused_alone_and_the_others_are_taken(tmp_path, name):
    path, data, said = HARMFUL[name]
    course = tmp_path / "course"
    course.mkdir()
    collected = collect(course, "attention", [zipped(tmp_path / "export.zip", {"jane/attention.ipynb": notebook("j"), path: data()})])
    assert [said in refused.reason for refused in collected.refused] == [True], collected.refused
    assert taken(course) == {"jane": "x = 'j'"}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["course", "export.zip"]


def test_links_and_giants_in_a_folder_are_refused(tmp_path):
    folder = tmp_path / "export"
    (folder / "jane").mkdir(parents=True)
    (folder / "jane/attention.ipynb").symlink_to("/etc/passwd")
    (folder / "jon").mkdir()
    with open(folder / "jon/attention.ipynb", "wb") as file:
        file.truncate(MAX_NOTEBOOK + 1)
    with open(folder / "jon/data.csv", "wb") as file:
        file.truncate(MAX_FILE + 1)
    reasons = {str(found.path): found.reason for found in opened(folder) if isinstance(found, Refused)}
    assert "link" in reasons["jane/attention.ipynb"] and "clear the notebook's outputs" in reasons["jon/attention.ipynb"]
    assert "at most 100 MB" in reasons["jon/data.csv"]


@given(st.text(max_size=300))
def test_any_name_becomes_one_harmless_folder(name):
    safe = safe_name(name)
    assert safe and len(safe) <= 128 and safe not in (".", "..") and not safe.startswith(".")
    assert Path("submitted", safe).parent == Path("submitted") and safe == safe_name(safe)


def test_files_come_in_the_same_order_every_time(tmp_path):
    path = zipped(tmp_path / "a.zip", {f"s{n}/attention.ipynb": notebook(str(n)) for n in range(5)})
    assert [str(i.path) for i in opened(path)] == [str(i.path) for i in opened(path)]
    assert all(isinstance(i, Item) and i.changed == datetime(2027, 2, 1, 12, n, tzinfo=timezone.utc) for n, i in enumerate(opened(path)))


def test_the_command_shows_what_it_took_and_refused(tmp_path, monkeypatch):
    shutil.copyfile(ROOT / "course.yaml", tmp_path / "course.yaml")
    zipped(tmp_path / "a.zip", {"jane/attention.ipynb": notebook("1"), "mallory/x.zip": b"PK"})
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, ["collect", "attention", "a.zip", "--dry-run"])
    assert shown.exit_code == 3 and "jane" in shown.output and "refused" in shown.output and "1 would be taken" in shown.output
    assert not (tmp_path / "submitted").exists()


def tarred(mode: str, **more) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=f"w:{mode}") as archive:
        for name in ("jane/attention.ipynb", "jon/attention.ipynb"):
            member = tarfile.TarInfo(name)
            member.size = len(NOTEBOOK)
            for key, value in (more if name.startswith("jane") else {}).items():
                setattr(member, key, value)
            archive.addfile(member, io.BytesIO(NOTEBOOK))
    return data.getvalue()


def deflated() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("jane", "jon"):
            archive.writestr(f"{name}/attention.ipynb", NOTEBOOK * 4)
    return data.getvalue()


@pytest.mark.parametrize("suffix, data", [(".zip", deflated()), (".tar", tarred("")), (".tar.gz", tarred("gz")), (".tar.xz", tarred("xz")),
                                          (".tar.bz2", tarred("bz2"))])
def test_a_damaged_archive_is_refused_and_never_raises(tmp_path, suffix, data):
    source, path = random.Random(1), tmp_path / f"export{suffix}"
    for _ in range(800):
        damaged = bytearray(data)
        for _ in range(source.randint(1, 5)):
            damaged[source.randrange(len(damaged))] = source.randrange(256)
        path.write_bytes(damaged)
        assert all(isinstance(found, (Item, Refused)) for found in opened(path))


def test_a_time_beyond_the_calendar_is_no_time_and_the_files_are_taken(tmp_path):
    (tmp_path / "export.tar").write_bytes(tarred("", mtime=10**18))
    found = {str(one.path): one for one in opened(tmp_path / "export.tar")}
    assert found["export.tar/jane/attention.ipynb"].changed is None and isinstance(found["export.tar/jon/attention.ipynb"], Item)


def test_long_names_fit_a_folder_and_stay_apart(tmp_path):
    one, other = safe_name("\u6f22" * 300), safe_name("\u6f22" * 299 + "x")
    assert one != other and max(len(name.encode()) for name in (one, other)) <= 180
    folder = "\u6f22" * 80
    collect(tmp_path, "attention", [zipped(tmp_path / "a.zip", {f"{folder}/attention.ipynb": notebook("1"), f"{folder}/{'n' * 250}.txt": b"x"})])
    assert list(taken(tmp_path).values()) == ["x = '1'"]


def test_in_an_export_only_the_outer_name_says_whose_it_is(tmp_path):
    """What is inside a student's own archive is the student's to name: as another student's file, or in a folder called hw."""
    def inner(**files):
        return zipped(tmp_path / "inner.zip", {name.replace("__", "/"): notebook(mark) for name, mark in files.items()}).read_bytes()
    export = zipped(tmp_path / "submissions.zip", {
        "ann_1000_99000_attention.ipynb": notebook("ann"),
        "mallory_2004_99904_hw.zip": inner(**{"ann_1000_99999_attention.ipynb": "mallory"}),
        "zed_2001_99901_hw.zip": inner(**{"hw__attention.ipynb": "zed"}),
        "yan_2002_99902_hw.zip": inner(**{"hw__attention.ipynb": "yan"}),
        "eve_2003_99903_hw.zip": inner(**{"ann_1000__attention.ipynb": "eve"})})
    collected = collect(tmp_path / "course", "attention", [export])
    assert not collected.refused
    assert taken(tmp_path / "course") == {student: f"x = {student.partition('_')[0]!r}" for student in ("ann_1000", "mallory_2004", "zed_2001", "yan_2002", "eve_2003")}


def test_what_was_put_in_submitted_by_hand_is_replaced_with_a_word(tmp_path):
    export = zipped(tmp_path / "one.zip", {"ann_1000_99000_attention.ipynb": notebook("first")})
    later = zipped(tmp_path / "two.zip", {"ann_1000_99001_attention.ipynb": notebook("second")}, hour=13)
    root = tmp_path / "course"
    assert not collect(root, "attention", [export]).replaced
    assert not collect(root, "attention", [later]).replaced  # what lay there had come
    by_hand = root / "submitted/ann_1000/attention/attention.ipynb"
    by_hand.write_bytes(notebook("mended by the TA"))
    assert collect(root, "attention", [later], dry_run=True).replaced == ["ann_1000"] and b"mended" in by_hand.read_bytes()
    assert collect(root, "attention", [later]).replaced == ["ann_1000"]
    assert any(b"mended" in path.read_bytes() for path in (root / "collected/attention/ann_1000").glob("*-before-attention.ipynb"))


def test_who_sent_no_notebook_has_a_row_too_and_another_ending_is_no_loss(tmp_path):
    export = zipped(tmp_path / "one.zip", {"ann_1000_99000_attention.pdf": b"%PDF", "ben_1001_99001_attention.ipynb.txt": notebook("ben")})
    root = tmp_path / "course"
    collected = collect(root, "attention", [export])
    assert [one.path.name for one in collected.refused] == ["ann_1000_99000_attention.pdf"]
    found = {one.student: find_notebook(one) for one in handed_in(root, "attention")}
    assert set(found) == {"ann_1000", "ben_1001"} and found["ben_1001"].submission is not None
    assert found["ann_1000"].submission is None and "no notebook was handed in" in found["ann_1000"].reason and ".pdf" in found["ann_1000"].reason


def test_whom_canvas_calls_late_is_told_for_its_export_holds_no_time(tmp_path, capsys):
    files = {"doejane_LATE_1234_100_attention.ipynb": notebook("a"), "roejon_77_101_attention.ipynb": notebook("b"),
             "poemia_78_102_LATE_5_6_attention.ipynb": notebook("c")}
    collected = collect(tmp_path, "attention", [zipped(tmp_path / "export.zip", files)])
    assert collected.late == {"doejane_1234"}
    show_collected(Console(width=200), collected, "attention", dry_run=False)
    said = " ".join(capsys.readouterr().out.split())
    assert "late says Canvas of doejane_1234. Its export holds no time of handing in" in said and "timestamp.txt" in said


def test_an_export_with_the_notebook_of_another_assignment_and_a_text_typed_in(tmp_path):
    """The newest counts of those that are this assignment's; a text typed into Moodle is its student's, and no student of its own."""
    vision, attention = (b'{"cells": [{"metadata": {"nbgrader": {"grade_id": "%s-checks"}}}]}' % name for name in (b"patchify", b"softmax"))
    zipped(tmp_path / "canvas.zip", {"doejane_1234_99_Untitled.ipynb": attention, "doejane_1234_100_vision.ipynb": vision})
    zipped(tmp_path / "moodle.zip", {"Bob B_12348_assignsubmission_file_/attention.ipynb": attention, "Bob B_12348_assignsubmission_onlinetext_/onlinetext.html": b"<p>hi"})
    collected = collect(tmp_path, "attention", [tmp_path / "canvas.zip", tmp_path / "moodle.zip"])
    assert sorted(collected.taken) == ["Bob B", "doejane_1234"] and not collected.refused
    assert collected.taken["doejane_1234"].item.data == attention
