"""A course's author: new assignments and exercises that work from the first minute, and where everything is."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ROOT

from autograder.assignment import public_exercises
from autograder.places import CourseError, assignments
from autograder.course import read_course
from autograder.lesson import add_slot, lesson, slot
from autograder.newexercise import _enrol, new_assignment, new_exercise, open_ends
from autograder.templates import class_halves, function_halves, read_signature
from autograder.where import names, places_of

GOOD = (ROOT / "course.yaml").read_text()

START = '''
import json, sys
from pathlib import Path
from autograder.answers import filled_in, reference_answers
from typer.testing import CliRunner
from autograder.assignment import public_exercises, with_staff_half
from autograder.build import build, build_findings
from autograder.cli import app
from autograder.course import course_here
from autograder.newexercise import new_assignment, new_exercise, open_ends
from autograder.rehearsal import rehearse
from autograder.soundness import examine
root, course = course_here()
new_assignment(root, "extra")
root, course = course_here()
for name, signature, is_class in [("twice", "X", False), ("scaled", "X, gamma, beta, eps=1e-5", False), ("Scale", "D", True)]:
    new_exercise(root, course, "extra", name, signature=signature, is_class=is_class)
build(root, "extra")
told = {name: examine(root, "extra", name, right_seeds=[1, 2], wrong_seeds=[1]).findings for name in with_staff_half("extra", root)}
found = {"told": told, "built": build_findings(root, "extra"), "rehearsed": rehearse(root, course, "extra"),
         "lesson": open_ends(root, root / "source/extra/extra.py")}
again = CliRunner().invoke(app, ["new", "exercise", "extra", "twice"])
more = CliRunner().invoke(app, ["new", "exercise", "extra", "more", "--signature", "Z, eps=1e-5"])
public_exercises.cache_clear()
print(json.dumps({**found, "again": str(again.exception), "more": more.output, "where": CliRunner().invoke(app, ["where", "more"]).output}))
'''


def course_copy(folder):
    """A checkout of the kit: the package and one assignment."""
    shutil.copytree(ROOT / "autograder", folder / "autograder", ignore=shutil.ignore_patterns("__pycache__", "exercises"))
    for place in ("autograder/exercises", "solutions", "source", "release"):
        shutil.copytree(ROOT / place / "attention", folder / place / "attention", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "autograder/exercises/__init__.py", folder / "autograder/exercises/__init__.py")
    (folder / "course.yaml").write_text(GOOD.replace("least: confined", "least: none"))
    return folder


def test_a_new_start_builds_and_is_sound_and_the_doctor_lists_what_is_open(tmp_path):
    done = subprocess.run([sys.executable, "-c", START], cwd=course_copy(tmp_path), capture_output=True, text=True, timeout=900,
                          env=os.environ | {"PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["built"] == found["rehearsed"] == []
    assert len(found["lesson"]) >= 8 and all(line.startswith("source/extra/extra.py:") for line in found["lesson"])
    for name, told in found["told"].items():
        other = [finding for finding in told if "TODO" not in finding]
        unused = [finding for finding in other if "eps=1e-05" in finding]  # of the default that the start makes no use of
        assert other == unused and len(told) > 8, (name, other)
        assert any(finding.startswith(f"autograder/exercises/extra/{name}.py:") for finding in told)
        assert any(finding.startswith(f"solutions/extra/{name}.py:") for finding in told)
    release = json.loads((tmp_path / "release/extra/extra.ipynb").read_text())
    assert ["Scale", "scaled", "twice"] == sorted({cell["id"] for cell in release["cells"]} & {"Scale", "scaled", "twice"})

    assert "is there already, and nothing was written" in found["again"] and "autograder where twice" in found["again"]
    assert "autograder doctor extra --exercise more" in found["more"] and "autograder build extra" in found["more"]
    at = next(line for line in found["where"].splitlines() if "slot in the lesson" in line).rpartition(":")[2]
    assert (tmp_path / "source/extra/extra.py").read_text().splitlines()[int(at) - 1] == '# %% exercise="more"'
    assert "not in it yet: autograder build extra" in found["where"]


identifiers = st.from_regex(r"[A-Za-z][a-z]{0,3}_?[0-9]?", fullmatch=True).filter(lambda name: name.isidentifier() and not __import__("keyword").iskeyword(name))
signatures = st.tuples(st.lists(identifiers, min_size=1, max_size=4, unique=True), st.sampled_from(["", "_z=1e-5", "_z=None, _y=\"mean\""])).map(
    lambda drawn: ", ".join([*drawn[0], *([drawn[1]] if drawn[1] else [])]))


@settings(max_examples=40, deadline=None)
@given(signatures, st.booleans())
def test_both_halves_are_python_with_the_signature_that_was_asked_for(signature, is_class):
    read = read_signature(signature)
    public, staff = (class_halves if is_class else function_halves)("a", "Name", read)
    wanted = ast.dump(ast.parse(f"def f({'self, ' if is_class else ''}{signature}): pass").body[0].args)
    ast.parse(public)
    reference = next(node for node in ast.parse(staff).body if getattr(node, "name", "") == "Name")
    reference = next(node for node in reference.body if getattr(node, "name", "") == "__init__") if is_class else reference
    assert ast.dump(reference.args) == wanted and "$" not in public + staff


@pytest.mark.parametrize("signature, said", [("X,, Y", "does not stand between the parentheses"), ("*args", "one by one"), ("eps=1", "without a default"),
                                             ("X, *, eps=1", "one by one"), ("X): pass\ndef g(", "does not stand")])
def test_a_signature_that_is_none_is_said(signature, said):
    with pytest.raises(ValueError, match=said):
        read_signature(signature)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["# %% [markdown]\n# text\n", "# %% given=true\nx = 1\n", '# %% exercise="old"\n', "# %% [markdown]\n# ## Handing in\n",
                                 '# %% [markdown] question="why" points=2\n# Why?\n']), max_size=6), st.sampled_from(["\n", ""]))
def test_the_slot_is_added_and_nothing_else_changes(tmp_path_factory, cells, between):
    script = tmp_path_factory.mktemp("lesson") / "a.py"
    script.write_text(between.join(cells))
    before = [one for one in script.read_text().splitlines() if one.strip()]
    line = add_slot(script, "fresh")
    after = script.read_text().splitlines()
    assert after[line - 1] == '# %% exercise="fresh"'
    kept, added = ([one for one in lines if one.strip()] for lines in (after, slot("fresh").splitlines()))
    start = kept.index("# ## TODO: a heading for fresh") - 1
    assert kept[start:start + len(added)] == added and kept[:start] + kept[start + len(added):] == before
    closing = [number for number, one in enumerate(kept) if "question=" in one or "Handing in" in one]
    ends = cells[-1:] and ("question=" in cells[-1] or "Handing in" in cells[-1])
    assert not ends or start < closing[-1]


def test_the_slot_comes_before_what_closes_a_lesson(tmp_path):
    script = tmp_path / "layernorm.py"
    text = (ROOT / "source/layernorm/layernorm.py").read_text()
    script.write_text(text)
    add_slot(script, "rms_norm")
    added = script.read_text()
    at = added.index('# %% exercise="rms_norm"')
    assert added.index('exercise="layer_norm_gradient"') < at < added.index('question="what-layer-norm-forgets"') < added.index("# ## Handing in")
    assert added.replace(added[added.index("# %% [markdown]\n# ## TODO"):added.index('# %% [markdown] question=')], "") == text


def test_a_new_assignment_is_entered_where_the_others_are(tmp_path):
    path = tmp_path / "course.yaml"
    for text in (GOOD, GOOD.replace("  - name", "- name").replace("    due", "  due"), "course: x\nseed: 1\nassignments:\n  - name: one"):
        path.write_text(text)
        line = _enrol(path, "extra")
        added = path.read_text().splitlines()
        assert read_course(path).assignments[-1].name == "extra" and "name: extra" in added[line - 1]
        assert [one for number, one in enumerate(added, 1) if number != line] == text.splitlines()
        assert _enrol(path, "extra") == line and path.read_text().splitlines() == added
    path.write_text("course: x\nseed: 1\nassignments: [{name: one}]\n")
    with pytest.raises(CourseError, match="by hand"):
        _enrol(path, "extra")


def test_exercises_of_ones_own_need_a_checkout_of_ones_own(tmp_path):
    (tmp_path / "course.yaml").write_text(GOOD)
    for make in (lambda: new_assignment(tmp_path, "extra"),
                 lambda: new_exercise(tmp_path, read_course(tmp_path / "course.yaml"), "attention", "fresh", signature="X", is_class=False)):
        with pytest.raises(CourseError, match="python -m pip install -c constraints.txt -e"):
            make()
    assert [path.name for path in tmp_path.iterdir()] == ["course.yaml"]


@pytest.mark.parametrize("assignment, name, said", [("attention", "softmax", "is there already"), ("multihead", "softmax", "is there already"),
                                                    ("attention", "two words", "no name for an exercise"), ("attention", "class", "no name"),
                                                    ("atention", "fresh", "lists attention"), ("attention", "check", "no name")])
def test_what_cannot_be_made_is_refused_and_nothing_is_written(assignment, name, said):
    before = {path: path.stat().st_mtime_ns for place in ("autograder/exercises", "solutions", "source") for path in (ROOT / place).rglob("*.py")}
    with pytest.raises(CourseError, match=said):
        new_exercise(ROOT, read_course(ROOT / "course.yaml"), assignment, name, signature="X", is_class=False)
    assert before == {path: path.stat().st_mtime_ns for place in ("autograder/exercises", "solutions", "source") for path in (ROOT / place).rglob("*.py")}


def test_every_name_has_its_places_and_every_line_is_right():
    for assignment in assignments():
        for name, exercise in public_exercises(assignment).items():
            (heading, places), = places_of(ROOT, name)
            at = {place.what: place.at for place in places}
            assert f"{exercise.points:g} points" in heading
            file, line = at["slot in the lesson"].split(":")
            assert (ROOT / file).read_text().splitlines()[int(line) - 1] == f'# %% exercise="{name}"'
            file, line = at["staff half"].split(" ")[0].split(":")
            assert name in (ROOT / file).read_text().splitlines()[int(line) - 1]
            file, cells = at["release notebook"].split(", ", 1)
            number = int(cells.split()[1])
            assert json.loads((ROOT / file).read_text())["cells"][number - 1]["id"] == name
            assert not any("not in it" in place.at or ":?" in place.at for place in places)
            checks = {place.at.split()[1]: place.at.split()[0].split(":") for place in places if "check," in place.what}
            assert checks.keys() == {check.name for check in exercise.checks}
            for check, (file, line) in checks.items():
                assert f"def {check}(" in (ROOT / file).read_text().splitlines()[int(line) - 1]
    assert any(place.what == "catalogue" for place in places_of(ROOT, "layer_norm")[0][1])


def test_a_checks_name_and_an_assignments_are_found_too():
    (heading, places), = (one for one in places_of(ROOT, "rows_of_the_weights_sum_to_one") if "of simple_attention" in one[0])
    assert "a public check of simple_attention in attention" in heading and {"written", "must catch", "release notebook"} <= {p.what for p in places}
    assert len(places_of(ROOT, "the_input_stays_as_it_was")) > 3
    assert {"entry in the course", "lesson", "release, built"} <= {place.what for place in places_of(ROOT, "vision")[0][1]}
    assert {"softmax", "vision", "rows_of_the_weights_sum_to_one"} <= set(names(ROOT))


@pytest.mark.parametrize("name, near", [("sofmax", "softmax"), ("Softmax", "softmax"), ("layernrm", "layernorm"), ("multiheadattention", "MultiHeadAttention")])
def test_an_unknown_name_is_told_the_nearest(name, near):
    with pytest.raises(CourseError, match=f"nothing is called '{name}'.*{near}"):
        places_of(ROOT, name)


def test_the_doctor_is_told_of_every_open_end(tmp_path):
    (tmp_path / "a.py").write_text(lesson("a"))
    lines = lesson("a").splitlines()
    assert len(open_ends(tmp_path, tmp_path / "a.py")) == sum("TODO" in line for line in lines)
    (tmp_path / "a.py").write_text("TODOS = 1  # METODO\n")
    assert open_ends(tmp_path, tmp_path / "a.py") == [] == open_ends(tmp_path, tmp_path / "none.py")
