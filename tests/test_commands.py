"""The command line as a whole: every command has an example, exit codes, no colours outside terminals, completion."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest
from support import ROOT
from typer.main import get_command

from autograder import __version__
from autograder.cli import app, main
from autograder.completion import assignment_names, exercise_names, student_names


def commands(command=None, path=()):
    """Every command and group of commands, with the words that reach it."""
    command = command or get_command(app)
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


COMMANDS = dict(commands())
LEAVES = [path for path, command in COMMANDS.items() if path and not hasattr(command, "commands")]
ids = lambda path: " ".join(path) or "autograder"  # noqa: E731


START = "import sys; sys.argv[0] = 'autograder'; from autograder.cli import main; main()"


def run(*arguments, folder=ROOT, **environment):
    """`autograder` as it is installed, in a process of its own, its output in a pipe."""
    return subprocess.run([sys.executable, "-c", START, *arguments], cwd=folder, capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **environment})


@pytest.fixture
def said(monkeypatch, capfd):
    """`autograder` in this process: exit status, standard output and error."""
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["autograder", *arguments])
        try:
            main()
        except SystemExit as end:
            return end.code or 0, *capfd.readouterr()
    return run


@pytest.mark.parametrize("path", COMMANDS, ids=ids)
def test_every_help_text_says_what_it_does_with_an_example_that_can_be_read_as_a_command(path):
    said = COMMANDS[path].help
    example = re.search(r"Example: autograder (.+)", said)
    assert example, said
    words = example[1].replace('"', "").split()
    assert tuple(words[:len(path)]) == path
    assert said[0].isupper() and said.split("\n")[0].split("Example")[0].strip().endswith((".", ")"))
    for parameter in COMMANDS[path].params:
        if parameter.name not in ("help", "install_completion", "show_completion"):
            assert parameter.help and parameter.help.rstrip("]")[-1] in ".)D", parameter.name


@pytest.mark.parametrize("path", LEAVES, ids=ids)
def test_every_example_is_understood(path):
    """The options and arguments of an example are those of the command."""
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', re.search(r"Example: autograder (.+)", COMMANDS[path].help)[1])]
    command = COMMANDS[path]
    context = command.make_context("autograder", words[len(path):])
    assert context.params


@pytest.fixture
def course(tmp_path):
    """A folder with a course.yaml and nothing else."""
    (tmp_path / "course.yaml").write_text((ROOT / "course.yaml").read_text())
    return tmp_path


WRONG_USES = [("check", "none.ipynb"), ("grade", "atention"), ("collect", "attention", "nowhere"), ("build", "atention"), ("where", "sofmax"),
              ("new", "exercise", "atention", "f"), ("progress", "nowhere"), ("grade", "attention"), ("frobnicate",), ("check",)]


@pytest.mark.parametrize("arguments", WRONG_USES, ids=" ".join)
def test_wrong_use_is_one_plain_sentence_on_stderr_and_exit_status_2(course, monkeypatch, said, arguments):
    monkeypatch.chdir(course)
    status, out, err = said(*arguments)
    assert status == 2 and not out and "Traceback" not in err and "\x1b" not in err
    assert re.match(r"error: |Usage: ", err), err


@pytest.mark.parametrize("arguments", [("grade", "attention"), ("where", "softmax"), ("new", "assignment", "x"), ("build",)], ids=" ".join)
def test_outside_a_course_every_command_of_the_staffs_says_so(tmp_path, monkeypatch, said, arguments):
    monkeypatch.chdir(tmp_path)
    assert said(*arguments) == (2, "", "error: no course.yaml in this folder or above it; run this in the course's folder\n")


def test_the_version_and_all_commands_are_told(said):
    assert said("--version") == (0, f"autograder {__version__}\n", "")
    status, out, _ = said("--help")
    assert status == 0 and all(path[0] in out for path in LEAVES)


def test_in_a_pipe_there_is_no_colour_and_lines_are_whole():
    done = run("where", "softmax", FORCE_COLOR="", TERM="xterm-256color")
    assert done.returncode == 0 and "\x1b" not in done.stdout and done.stdout.startswith("softmax, an exercise of attention: ")
    assert any(line.startswith("  hidden check, ") and line.endswith(" agrees_with_the_reference") for line in done.stdout.splitlines())


@pytest.mark.parametrize("no_colour, colours", [("", True), ("1", False)])
def test_in_a_terminal_there_are_colours_unless_no_color_is_set(course, no_colour, colours):
    leader, follower = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"} | ({"NO_COLOR": no_colour} if no_colour else {})
    process = subprocess.Popen([sys.executable, "-c", START, "grade", "sofmax"], cwd=course, env=environment, stdout=follower, stderr=follower)
    os.close(follower)
    said = b""
    try:
        while part := os.read(leader, 4096):
            said += part
    except OSError:  # the terminal is closed
        pass
    assert process.wait(300) == 2 and b"no assignment" in said
    assert bool(re.search(rb"\x1b\[[\d;]*3\dm|\x1b\[1;31m", said)) == colours


def test_completion_is_shown_for_the_users_shell():
    done = run("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode == 0 and "_AUTOGRADER_COMPLETE=complete_bash" in done.stdout


OFFERED = {"autograder gra": "grade", "autograder grade att": "attention", "autograder new ex": "exercise",
           "autograder where layer_n": "layer_norm layer_norm_gradient", "autograder grade attention --student a": "ada alan"}
TAB = """
import os, sys
from autograder.cli import main
sys.argv = ["autograder"]
for words in sys.stdin.read().splitlines():
    os.environ |= {"_AUTOGRADER_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    try:
        main()
    except SystemExit:
        print("==", flush=True)
"""


def test_tab_completes_commands_and_names(course):
    for student in ("ada", "alan", "bob"):
        (course / "submitted" / student).mkdir(parents=True)
    done = subprocess.run([sys.executable, "-c", TAB], input="\n".join(OFFERED), cwd=course, capture_output=True, text=True, timeout=600,
                          env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert [set(part.split()) for part in done.stdout.split("==")[:-1]] == [set(names.split()) for names in OFFERED.values()], done.stderr


def test_names_are_offered_by_what_is_typed(course, monkeypatch):
    monkeypatch.chdir(course)
    assert assignment_names("m") == ["multihead"] and "softmax" in exercise_names("") and student_names("") == []


def test_what_tab_and_help_need_loads_no_heavy_library():
    """Each would be a second or more at every Tab."""
    code = ("import sys; from autograder.cli import app; from autograder.completion import assignment_names; assert assignment_names('att') == ['attention']; "
            "print([name for name in ('torch', 'hypothesis', 'numpy', 'nbgrader', 'nbformat', 'pydantic', 'sqlalchemy') if name in sys.modules])")
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_a_line_number_is_no_picture(tmp_path, monkeypatch, said):
    """`course.yaml:100:` was shown with a picture in the number's place."""
    (tmp_path / "course.yaml").write_text("course: c\nseed: 1\n" + "#\n" * 97 + "asignments: []\n")
    monkeypatch.chdir(tmp_path)
    assert "course.yaml:100: " in said("build")[2]
