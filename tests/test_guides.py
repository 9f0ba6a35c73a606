"""Every command in the README and the guides: run in a small course, or listed here with the reason why not, and held against its options.

A new guide in guides/ is picked up by itself. Commands are lines of a fenced or indented block that begin with `autograder`, `nbgrader` or `make`, and
inline code that does.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from functools import lru_cache
from pathlib import Path

import pytest
from support import ROOT, references_of, release_of
from typer.main import get_command

from autograder.answers import filled_in
from autograder.cli import app, main

PAGES = [ROOT / "README.md", *sorted((ROOT / "guides").glob("*.md"))]
FIRST = ("autograder", "nbgrader", "make")
ids = lambda path: path.stem  # noqa: E731

# What a guide says, and what it is in the sample course.
SUBSTITUTIONS = {"~/Downloads/submissions.zip": "submissions.zip", "layernorm.ipynb": "attention.ipynb", "NAME": "softmax", "rms_norm": "softmax", "ASSIGNMENT": "attention",
                 "FILE": "attention.ipynb"}
# Commands that are not run, with the reason; their options are held against the command's all the same.
NOT_RUN = {
    r"autograder new ": "it writes into the kit's own package: run in a copy of the kit by tests/test_author.py",
    r"autograder doctor (?!--machine)": "it takes minutes: run by tests/test_doctor.py and by make doctor",
    r"autograder build": "it takes a minute where anything changed: run by tests/test_build.py and tests/test_author.py",
    r"autograder demo": "it makes 36 notebooks: run by tests/test_grade.py and by make demo",
    r"autograder .*--watch": "it ends by Ctrl-C only: run by tests/test_desk_commands.py",
    r"autograder --install-completion": "it writes into the shell's start-up file",
    r"autograder grade .*--scheduler": "it needs a scheduler: run by the tests of the cluster",
    r"autograder formgrader": "it starts a server: run by the tests in a browser",
}
EXIT = {"autograder doctor --machine": (0, 1), "autograder grade": (0, 3)}


def commands_of(page: Path) -> tuple[list[str], list[str]]:
    """The commands in a page's blocks, in order and without comments, and those in inline code."""
    text = page.read_text(encoding="utf-8")
    fenced = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
    lines = [line for block in fenced.finditer(text) for line in block[0].splitlines()[1:-1]]
    prose = fenced.sub("", text)
    lines = [line[4:] for line in prose.splitlines() if line.startswith("    ")] + lines
    prose = "\n".join(line for line in prose.splitlines() if not line.startswith("    "))
    blocks = [command for line in lines if (command := _command(line))]
    return blocks, [command for code in re.findall(r"`([^`\n]+)`", prose) if (command := _command(code))]


def _command(line: str) -> str:
    """A line as a command of the kit, without prompt and comment; empty where it is none."""
    command = re.sub(r"\s+#.*", "", line.strip().removeprefix("$ ")).strip()
    words = command.split()
    return command if words and words[0] in FIRST and "─" not in command and "|" not in command else ""


def substituted(command: str) -> list[str]:
    """The words of a command as they are run in the sample course."""
    return [SUBSTITUTIONS.get(word, word) for word in shlex.split(command)]


def reason(command: str) -> str:
    """Why a command is not run; empty where it is."""
    return next((why for pattern, why in NOT_RUN.items() if re.match(pattern, command)), "")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course with two submissions of attention, an export to take in, and a student's own notebook."""
    folder = tmp_path_factory.mktemp("guides") / "course"
    for name in ("source/attention", "release/attention", "solutions/attention"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "nbgrader_config.py", folder / "nbgrader_config.py")
    (folder / "course.yaml").write_text((ROOT / "course.yaml").read_text().replace("least: confined", "least: none"))
    answers = references_of("attention")
    for student, some in (("ada", answers), ("bob", {"softmax": answers["softmax"]})):
        (folder / "submitted" / student / "attention").mkdir(parents=True)
        (folder / "submitted" / student / "attention/attention.ipynb").write_text(filled_in(release_of("attention"), some))
    (folder / "attention.ipynb").write_text(filled_in(release_of("attention"), answers))
    with zipfile.ZipFile(folder / "submissions.zip", "w") as export:
        export.writestr("cem/attention.ipynb", filled_in(release_of("attention"), {}))
    return folder


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_command_of_a_page_does_what_it_is_there_for(page, course, monkeypatch, capfd):
    monkeypatch.setenv("XDG_CACHE_HOME", str(course / "cache"))
    for command in dict.fromkeys(commands_of(page)[0]):
        words = substituted(command)
        if words[0] == "make":
            assert_target(words)
        elif words[0] == "nbgrader":
            done = subprocess.run([Path(sys.executable).with_name("nbgrader"), *words[1:]], cwd=course, capture_output=True, text=True, timeout=900,
                                  env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"})
            assert done.returncode == 0, f"{page.name}: {command}\n{done.stdout}{done.stderr}"
        else:
            assert_options(words)
            if not reason(command):
                status, said = run_here(course, monkeypatch, capfd, words)
                allowed = next((codes for start, codes in EXIT.items() if command.startswith(start)), (0,))
                assert status in allowed and "Traceback" not in said, f"{page.name}: {command}\n{said}"


def run_here(folder: Path, monkeypatch, capfd, words: list[str]) -> tuple[int, str]:
    """`autograder …` in this process, in the course's folder."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", words)
    capfd.readouterr()
    try:
        main()
    except SystemExit as end:
        return end.code or 0, "".join(capfd.readouterr())
    raise AssertionError("main returned")


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_commands_in_the_text_are_there_with_their_options(page):
    for command in dict.fromkeys(commands_of(page)[1]):
        words = substituted(command)
        if words[0] == "make":
            assert_target(words)
        elif words[0] == "nbgrader":
            assert len(words) == 1 or words[1] in nbgrader_commands(), command
        else:
            assert_options(words)


def assert_target(words: list[str]) -> None:
    """Fail unless the Makefile knows the targets."""
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert all(word in targets for word in words[1:] if "=" not in word), " ".join(words)
    done = subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def assert_options(words: list[str]) -> None:
    """Fail unless there is such a command of `autograder`, with such options."""
    command, rest = get_command(app), words[1:]
    while rest and hasattr(command, "commands") and not rest[0].startswith("-"):
        assert rest[0] in command.commands, f"{' '.join(words)}: there is no such command"
        command, rest = command.commands[rest[0]], rest[1:]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    for word in rest:
        assert not word.startswith("--") or word.partition("=")[0] in known, f"{' '.join(words)}: there is no {word}"


@lru_cache
def nbgrader_commands() -> frozenset[str]:
    """nbgrader's own commands."""
    from nbgrader.apps.nbgraderapp import NbGraderApp
    return frozenset(NbGraderApp().subcommands)


def test_what_is_not_run_has_a_reason_and_is_somewhere_in_the_pages():
    """The table holds nothing that no page says, but for what other guides bring."""
    said = [command for page in PAGES for part in commands_of(page) for command in part]
    brought = ("--scheduler", "formgrader")
    for pattern, why in NOT_RUN.items():
        assert why and (any(re.match(pattern, command) for command in said) or pattern.endswith(brought)), pattern


def test_commands_are_found_in_blocks_and_in_the_text(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Say `autograder where x` or\n\n    autograder grade attention   # all\n    grade it\n\n```\n$ make test\n```\n`git x` `make`\n")
    assert commands_of(page) == (["autograder grade attention", "make test"], ["autograder where x", "make"])
    with pytest.raises(AssertionError, match="no such command"):
        assert_options(["autograder", "grad"])
    with pytest.raises(AssertionError, match="no --fast"):
        assert_options(["autograder", "grade", "attention", "--fast"])
    with pytest.raises(AssertionError):
        assert_target(["make", "tests"])


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_links_lead_somewhere_and_files_that_are_named_exist(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / target).exists(), target
    made = ("build/", "demo/", "feedback/", "submitted/", "autograded/", "collected/", "release/layernorm", "solutions/layernorm/rms", "autograder/exercises/layernorm/rms")
    for name in re.findall(r"`((?:autograder|tests|source|release|solutions|guides)/[\w./-]*)`", text):
        if not name.startswith(made) and "<" not in name:
            assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_a_page_is_short(page):
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 120
