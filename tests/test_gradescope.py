"""The zip for Gradescope, in a folder laid out as theirs: the same score, valid results whatever happens, nothing hidden told."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema
import pytest
from support import ROOT, references_of, release_of
from typer.testing import CliRunner

from autograder import gradescoperun, grader as grader_module
from autograder.answers import answer_source, filled_in
from autograder.box import proved
from autograder.cli import app
from autograder.course import read_course
from autograder.gradescope import There, make_zip, pins

VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
TEST = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "max_score": {"type": "number"},
        "status": {"enum": ["passed", "failed"]},
        "name": {"type": "string"},
        "number": {"type": "string"},
        "output": {"type": "string"},
        "output_format": FORMAT,
        "tags": {"type": "array", "items": {"type": "string"}},
        "visibility": VISIBILITY,
        "extra_data": {"type": "object"},
    },
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "anyOf": [{"required": ["score"]}, {"required": ["tests"]}],
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": TEST},
        "leaderboard": {"type": "array"},
    },
}
LOOKS_ROUND = (
    "def softmax(Z, dim=-1):\n    import pathlib\n    for path in [p for top in (ABOVE) for p in pathlib.Path(top).rglob('*.py')]:\n"
    "        raise ValueError(path.read_text()[:300])\n    return torch.softmax(Z, dim)\n"
)


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """Gradescope's folder: the zip unpacked in source/, run_autograder beside it, and the deck drawn as setup.sh does."""
    folder = tmp_path_factory.mktemp("autograder")
    data = make_zip(ROOT, read_course(ROOT / "course.yaml"), "attention", There(least="none"))
    _unpack(data, folder / "source")
    (folder / "run_autograder").write_bytes((folder / "source/run_autograder").read_bytes())
    (folder / "run_autograder").chmod(0o755)
    subprocess.run([sys.executable, "-m", "autograder.gradescoperun", "prepare", "source"], cwd=folder, check=True,
                   env=os.environ | {"PYTHONPATH": str(folder / "source/kit")})
    return folder


def _unpack(data: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(folder)
        for info in archive.infolist():
            (folder / info.filename).chmod(info.external_attr >> 16 & 0o777)


def run(there: Path, tmp_path: Path, notebook: bytes | None, **environment: str) -> dict:
    """What Gradescope would read after a run; the document is valid whatever happened."""
    (tmp_path / "submission").mkdir()
    if notebook is not None:
        (tmp_path / "submission/my homework.ipynb").write_bytes(notebook)
    paths = {
        "AUTOGRADER_SOURCE": there / "source",
        "AUTOGRADER_SUBMISSION": tmp_path / "submission",
        "AUTOGRADER_RESULTS": tmp_path / "results/results.json",
        "AUTOGRADER_PYTHON": sys.executable,
    }
    done = subprocess.run([str(there / "run_autograder")], env=os.environ | {name: str(path) for name, path in paths.items()} | environment,
                          capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "results/results.json").read_text())
    jsonschema.validate(document, SCHEMA)
    return document


def notebook(answers: dict[str, str]) -> bytes:
    return filled_in(release_of("attention"), references_of("attention") | answers).encode()


@pytest.mark.parametrize("mistake", [None, "one_global_maximum"])
def test_the_score_is_the_one_that_grading_gives(there, tmp_path, grade, grader, mistake):
    answers = {"softmax": answer_source(ROOT / "solutions/attention/softmax.py", mistake, "softmax")} if mistake else {}
    document, result = run(there, tmp_path, notebook(answers)), grade(answers).result
    assert document["score"] == result.score == sum(test["score"] for test in document["tests"])
    assert sum(test["max_score"] for test in document["tests"]) == result.max_score and (document["score"] < result.max_score) == bool(
        mistake
    )
    assert [test["extra_data"]["outcome"] for test in document["tests"]] == [
        check.outcome for exercise in result.exercises for check in exercise.checks
    ]
    assert (document["extra_data"]["isolation"], document["extra_data"]["missing"]) == (grader.box.level, grader.box.missing)
    assert f"isolation level {grader.box.level}" in document["output"] and "graded by a person" in document["output"]
    assert {test["visibility"] for test in document["tests"]} == {"visible"} and 0 < document["execution_time"] < 600
    if mistake:
        hidden = [test for test in document["tests"] if "hidden" in test["tags"] and test["status"] == "failed"]
        public = [test for test in document["tests"] if "public" in test["tags"] and test["status"] == "failed"]
        assert all("smallest input" in test["output"] for test in public) and public
        assert (
            all("tensor" not in test["output"] and "expected" not in test["output"] and "input" not in test["output"] for test in hidden)
            and hidden
        )


@pytest.mark.parametrize(("data", "said"), [(b"%PDF-1.7", "not valid JSON"), (None, "no notebook was handed in")])
def test_what_cannot_be_read_has_a_reason(there, tmp_path, data, said):
    document = run(there, tmp_path, data)
    assert document["score"] == 0 and said in document["output"]
    assert {test["extra_data"]["outcome"] for test in document["tests"]} == {"unreadable"}


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"AUTOGRADER_PYTHON": "/bin/false"}, "exit status 1"),
        ({"AUTOGRADER_PYTHON": "/no/python"}, "exit status 127"),
        ({"AUTOGRADER_SECONDS": "0.05"}, "more than 0.05 seconds"),
    ],
)
def test_results_are_valid_whatever_fails(there, tmp_path, environment, said):
    document = run(there, tmp_path, notebook({}), **environment)
    assert document["score"] == 0 and said in document["output"] and "tell the course's staff" in document["output"]


@pytest.mark.skipif(os.getuid() != 0, reason="Gradescope runs as root; only root can give its files away")
def test_a_submission_reads_no_solution(there, tmp_path):
    above = [str(there), str(ROOT / "solutions")]
    document = run(there, tmp_path, notebook({"softmax": LOOKS_ROUND.replace("ABOVE", repr(above[0]) + ",")}))
    assert "exercise" not in json.dumps([test["output"] for test in document["tests"] if test["name"].startswith("softmax")])
    assert {test["status"] for test in document["tests"] if test["name"].startswith("softmax")} == {"passed"}
    assert stat.S_IMODE((there / "source").stat().st_mode) == 0o700
    assert not [path for path in (there / "source/course").rglob("*") if path.stat().st_mode & 0o077]


def test_below_the_least_level_the_result_says_so(there, tmp_path, monkeypatch, capsys):
    settings = there / "source/settings.json"
    monkeypatch.setattr(grader_module, "start_box", lambda limits: proved(limits, "none", False, ["isolated: not here"]))
    before = settings.read_text()
    settings.write_text(before.replace('"none"', '"confined"'))
    try:
        document = gradescoperun.graded(there / "source", tmp_path)
    finally:
        settings.write_text(before)
    jsonschema.validate(document, SCHEMA)
    assert document["score"] == 0 and not document["extra_data"]["graded"] and "does not keep submissions apart" in document["output"]
    assert "confined" in capsys.readouterr().out  # for staff


def test_a_failure_of_the_autograder_is_no_fault_of_the_student(tmp_path, capsys):
    document = gradescoperun.graded(tmp_path, tmp_path)
    jsonschema.validate(document, SCHEMA)
    assert "FileNotFoundError" in document["output"] and "not your fault" in document["output"] and str(tmp_path) not in document["output"]
    assert str(tmp_path) in capsys.readouterr().out


def test_the_zip_holds_what_is_needed_and_no_more(tmp_path):
    text = (ROOT / "course.yaml").read_text().replace("db_url: sqlite:///gradebook.db", "db_url: postgresql://staff:secret@db/grades")
    (tmp_path / "course.yaml").write_text(text)
    course = read_course(tmp_path / "course.yaml")
    data = make_zip(ROOT, course, "attention", There(least="confined", minutes=20, memory_mb=6144))
    assert data == make_zip(ROOT, course, "attention", There(least="confined", minutes=20, memory_mb=6144))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        assert "secret" not in archive.read("course/course.yaml").decode()
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
        assert b"1170" in archive.read("run_autograder") and b"@" not in archive.read("run_autograder")
        archive.extractall(tmp_path)
    assert modes["run_autograder"] == modes["setup.sh"] == 0o755 and {
        mode for name, mode in modes.items() if name.startswith("course/")
    } == {0o600}
    assert {name.split("/")[2] for name in names if name.startswith("course/solutions/")} == {"attention"}
    assert not [name for name in names if "__pycache__" in name or "submitted" in name]
    there = read_course(tmp_path / "course/course.yaml")
    assert (there.seed, [one.name for one in there.assignments]) == (course.seed, ["attention"])
    assert there.limits.check_seconds == 15 and there.limits.submission_seconds == 300 and there.limits.memory_mb == 3072
    for script in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n", str(tmp_path / script)], check=True)


def test_versions_are_pinned():
    pinned = dict(line.split("==") for line in pins())
    assert {"torch", "numpy", "hypothesis", "nbgrader", "jinja2"} <= {name.lower() for name in pinned} and not [
        v for v in pinned.values() if "+" in v
    ]


def test_choices_that_are_none_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    for option in ("--least-isolation", "--hidden-checks"):
        done = CliRunner().invoke(app, ["export", "gradescope", "attention", option, "perhaps", "--out", str(tmp_path / "x.zip")])
        assert "there is no such choice" in str(done.exception) and not (tmp_path / "x.zip").exists()
