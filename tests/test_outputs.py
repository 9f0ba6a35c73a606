"""Stored outputs are dropped before any limit: a notebook is as large as what its student wrote."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ROOT

from autograder.answers import filled_in, reference_answers
from autograder.filetext import Unreadable
from autograder.notebook import MAX_RAW, read_submission
from autograder.outputs import DROP_FROM, without_outputs

ENVIRONMENT = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
texts = st.text('ab"\\[]{}:,\n\té', max_size=12) | st.sampled_from(
    ['"outputs": [', '\\"outputs\\": [', "outputs", "widgets", '"widgets": {'])
values = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
                      lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12)


def emptied(value, key=""):
    """What dropping the outputs must come to."""
    if key == "outputs" and isinstance(value, list) or key == "widgets" and isinstance(value, dict):
        return type(value)()
    if isinstance(value, list):
        return [emptied(item) for item in value]
    return {name: emptied(item, name) for name, item in value.items()} if isinstance(value, dict) else value


@given(values, st.lists(values, max_size=3), st.dictionaries(texts, values, max_size=3), st.sampled_from([None, 1]), st.booleans())
@settings(deadline=None, max_examples=300)
def test_nothing_but_outputs_is_dropped(value, outputs, widgets, indent, plain):
    tree = {"source": value, "outputs": outputs, "metadata": {"widgets": widgets, "x": [{"outputs": outputs, "y": value}]}}
    text = json.dumps(tree, indent=indent, ensure_ascii=plain)
    short = without_outputs(text.encode())
    assert json.loads(short) == emptied(tree) and short.count(b"\n") == text.count("\n")


@given(st.binary(max_size=60), st.integers(0, 80))
@settings(deadline=None)
def test_any_bytes_are_taken(noise, cut):
    text = b'{"cells": [{"outputs": [{"text": "a", "b": [1, {}]}], "source": "x"}]}'
    for data in (text[:cut], text[:cut] + noise, noise + text, text[:cut] + noise + text[cut:]):
        assert len(without_outputs(data)) <= len(data) + 1


def test_a_file_cut_off_in_its_outputs_is_refused_with_the_line(tmp_path):
    path = tmp_path / "attention.ipynb"
    path.write_text('{"cells": [\n{"source": "x",\n"outputs": [{"text": "' + "x" * DROP_FROM)
    with pytest.raises(Unreadable, match="not valid JSON at line 3"):
        read_submission(path)


def large(path: Path, megabytes: int, what: str) -> Path:
    """A right notebook with that much of something in it."""
    notebook = json.loads(filled_in((ROOT / "release/attention/attention.ipynb").read_text(), reference_answers(ROOT, "attention")))
    code = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    lines = [f'loss after step {number}: "{number / 7:.4f}" [' for number in range(10_000)]
    filling = "\n".join(lines)
    many = megabytes * (1 << 20) // len(filling) + 1
    if what == "outputs":
        code["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [filling] * many}]
    elif what == "widgets":
        notebook["metadata"]["widgets"] = {"state": {str(number): filling for number in range(many)}}
    else:
        source = ["'''", *[filling] * many, "'''"]
        notebook["cells"].append({"cell_type": "code", "id": "huge", "metadata": {}, "outputs": [], "source": source})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook))
    assert path.stat().st_size > megabytes << 20
    return path


@pytest.mark.parametrize("what", ["outputs", "widgets"])
def test_a_notebook_of_150_megabytes_of_outputs_is_read_in_little_memory(tmp_path, what):
    path = large(tmp_path / "attention.ipynb", 150, what)
    script = ("import resource, sys; from pathlib import Path; from autograder.notebook import read_submission\n"
              f"resource.setrlimit(resource.RLIMIT_DATA, (120 << 20, 120 << 20))\nprint(len(read_submission(Path({str(path)!r})).cells))")
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
    assert int(done.stdout or 0) > 20, done.stderr


def test_a_notebook_whose_code_is_huge_is_refused_with_the_reason(tmp_path):
    with pytest.raises(Unreadable, match="even without its stored outputs"):
        read_submission(large(tmp_path / "attention.ipynb", 110, "code"))
    with pytest.raises(Unreadable, match="more than 1,000,000 characters"):
        read_submission(large(tmp_path / "attention.ipynb", 20, "code"))
    with open(tmp_path / "attention.ipynb", "wb") as file:
        file.truncate(MAX_RAW + 1)
    with pytest.raises(Unreadable, match="1024 MB; clear its outputs"):
        read_submission(tmp_path / "attention.ipynb")


def scores(folder: Path) -> dict[str, float]:
    with sqlite3.connect(folder / "gradebook.db") as database:
        return dict(database.execute("""select s.student_id, sum(g.auto_score) from grade g
            join submitted_notebook n on n.id = g.notebook_id join submitted_assignment s on s.id = n.assignment_id group by 1""").fetchall())


def test_through_every_door(tmp_path):
    """Collected out of a zip, graded, and graded by nbgrader; a neighbour with huge code is refused and costs nobody anything."""
    for name in ("source", "release", "solutions"):
        shutil.copytree(ROOT / name / "attention", tmp_path / name / "attention", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "nbgrader_config.py", tmp_path / "nbgrader_config.py")
    (tmp_path / "course.yaml").write_text((ROOT / "course.yaml").read_text().replace("least: confined", "least: none"))
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for student, what in (("ada", "outputs"), ("bob", "code")):
            archive.write(large(tmp_path / "made" / student / "attention.ipynb", 105, what), f"{student}/attention.ipynb")
    for command in (["collect", "attention", "export.zip"], ["grade", "attention", "--workers", "1"]):
        done = subprocess.run([sys.executable, "-m", "autograder.cli", *command], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
        assert done.returncode in (0, 3), done.stdout + done.stderr
    graded = scores(tmp_path)
    assert graded["ada"] > 0 and graded["bob"] == 0 and "even without its stored outputs" in done.stdout + done.stderr
    assert max(path.stat().st_size for path in tmp_path.glob("autograded/*/*/*.ipynb")) < 3 << 20
    (tmp_path / "gradebook.db").unlink()
    shutil.rmtree(tmp_path / "autograded")
    done = subprocess.run(["nbgrader", "autograde", "attention"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0 and scores(tmp_path) == graded, done.stderr[-3000:]
    assert max(path.stat().st_size for path in tmp_path.glob("autograded/*/*/*.ipynb")) < 3 << 20
