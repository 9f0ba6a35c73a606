"""What the attacks have in common: the token nobody may see, what the attacker is told, and what came of an attack."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

from autograder.answers import filled_in
from autograder.grader import Grader, Outcome
from autograder.notebook import parse_submission
from autograder.results import ExerciseResult, SubmissionResult
from autograder.submissions import Found

ROOT = Path(__file__).parents[2]
TOKEN = "SECRET-" + secrets.token_hex(16)  # lies in the grader's memory, environment, arguments and files; no student may come to see it
THROUGH = "CAME THROUGH"
QUICK = {"check_seconds": 0.5, "cell_seconds": 0.7}
_PLACES = ("solutions/attention/softmax.py", "solutions/attention/_hidden_tests.py", "course.yaml", ".git/secret.txt", "secret.txt",
           ".hypothesis/examples/secret.txt", "tests/hidden_test.py", "solutions/attention/simple_attention.py")


@dataclass(frozen=True)
class Attacked:
    """What came of an attack: the result, the autograded notebook as text, and the seconds that it took."""

    result: SubmissionResult
    notebook: str
    seconds: float

    @property
    def text(self) -> str:
        """All that a student or a TA is shown."""
        return " ".join(repr(self.result.model_dump()).split()) + " ".join(self.notebook.split())

    def exercise(self, name: str = "softmax") -> ExerciseResult:
        """The result of one exercise."""
        return next(exercise for exercise in self.result.exercises if exercise.name == name)

    @property
    def printed_by_cell(self) -> list[str]:
        """What each of the student's own cells printed."""
        cells = [cell for cell in json.loads(self.notebook)["cells"] if cell["id"].startswith("own-") and cell["cell_type"] == "code"]
        return ["".join(out.get("text", "") for out in cell["outputs"] if out["output_type"] == "stream") for cell in cells]

    @property
    def printed(self) -> str:
        """What the student's own cells printed, together."""
        return "".join(self.printed_by_cell)

    def earns_nothing(self, name: str = "softmax") -> None:
        """Assert that the attacked exercise scores 0 and that the grader takes no blame."""
        assert self.exercise(name).score == 0
        assert "grader_fault" not in {exercise.outcome for exercise in self.result.exercises}
        assert TOKEN not in self.text

    def harms_no_other(self, name: str = "softmax") -> None:
        """Assert that all other exercises of the same notebook, answered rightly, keep their points."""
        assert [e.name for e in self.result.exercises if e.name != name and e.score != e.max_score] == []


def make_course(folder: Path) -> Path:
    """A course of its own, with the token in its solutions, its hidden tests, its settings and its history."""
    for name in ("release", "solutions"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "course.yaml", folder / "course.yaml")
    for place in _PLACES:
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"# {TOKEN}\n" if path.suffix != ".py" else f"PLANTED = {TOKEN!r}\n")
    return folder


@contextlib.contextmanager
def bystander() -> Iterator[int]:
    """The id of a process of the grader's user with the token among its arguments, in its environment and in its memory."""
    waiting = "import os, sys; kept = os.environ['PLANTED']; print('ready', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", waiting, TOKEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env={"PLANTED": TOKEN}) as process:
        process.stdout.readline()
        yield process.pid
        process.stdin.close()


@contextlib.contextmanager
def listener() -> Iterator[int]:
    """The port of a server on this machine that accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    server.accept()[0].close()
        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]


def told(**places: Any) -> str:
    """A cell with what the attacker is told for nothing: where everything lies.

    COURSE the course's folder, PID the grader, BYSTANDER another process of its user, PORT a server on this machine, BOX the template's
    folder, TARGET a folder to write to, PACKAGES and KIT what stands for the installed packages and the kit (never the real ones where
    nothing would stop a write), HOME the grader's.
    """
    lines = [f"{name} = {value!r}" for name, value in places.items()]
    return "\n".join([*lines, "def came_through():", f"    print({THROUGH[:4]!r}, {THROUGH[5:]!r}, flush=True)"])


def code_cell(source: str, number: int, cell_type: str = "code") -> dict[str, Any]:
    """A cell of the student's own."""
    cell = {"cell_type": cell_type, "id": f"mine-{number}", "metadata": {}, "source": source}
    return cell | ({"outputs": [], "execution_count": None} if cell_type == "code" else {})


def of(notebook: dict[str, Any], grade_id: str) -> dict[str, Any]:
    """The cell of that grade_id."""
    return next(cell for cell in notebook["cells"] if (cell["metadata"].get("nbgrader") or {}).get("grade_id") == grade_id)


def written(template: str, answers: dict[str, str], *, first: list[str] = [], cells: list[str] = [],  # noqa: B006
            change=lambda notebook: None) -> str:
    """A notebook with answers typed in, cells of the student's own before and after all else, then changed by `change`."""
    def changed(notebook: dict[str, Any]) -> None:
        start = next(i for i, cell in enumerate(notebook["cells"]) if (cell["metadata"].get("nbgrader") or {}).get("grade_id") == "softmax")
        notebook["cells"][start:start] = [code_cell(source, number) for number, source in enumerate(first)]
        notebook["cells"] += [code_cell(source, 100 + number) for number, source in enumerate(cells)]
        change(notebook)
    return filled_in(template, answers, change=changed)


def graded(grader: Grader, data: bytes) -> Outcome:
    """Grade the bytes of one notebook."""
    return grader.grade("eve", Found(Path("attention.ipynb"), parse_submission(data)))
