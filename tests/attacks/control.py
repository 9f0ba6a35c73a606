"""Running the control of an attack: `naive_server.py` in a process of its own, one for the session."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

from attacking import ROOT, TOKEN
from naive_notebook import naive_notebook

NAIVE = Path(__file__).parent / "naive_server.py"
NUMBER = 0.7362094518  # in every hidden input of the control; a student who reads it has come to see one


@dataclass(frozen=True)
class Judged:
    """What the naive grader reported: a score for each student (None where it reported none), and all that was printed."""

    scores: dict[str, float | None]
    output: bytes


@dataclass(frozen=True)
class Control:
    """The naive grader, loaded. `pid` is the process that the students' code shares with everything else."""

    process: subprocess.Popen

    def grade(self, folder: Path, notebooks: dict[str, str], *, seconds: float) -> Judged:
        """Grade notebooks (student to text) in turn, in `folder`; stopped after `seconds`."""
        paths = {}
        for number, (student, text) in enumerate(notebooks.items()):
            path = folder / f"notebook-{number}.json"
            path.write_text(text, encoding="utf-8", errors="surrogatepass")
            paths[student] = str(path)
        self.process.stdin.write(json.dumps({"folder": str(folder), "notebooks": paths, "seconds": seconds}) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return Judged(answer["scores"], base64.b64decode(answer["output"]))


@contextlib.contextmanager
def started(course: Path) -> Iterator[Control]:
    """The naive grader of a course, with the token among its arguments, in its environment and in its memory."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PLANTED": TOKEN, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(NAIVE), str(course), TOKEN, str(NUMBER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=course) as process:
        yield Control(process)
        process.stdin.close()


def template() -> str:
    """The notebook that a student gets of the naive grader's course."""
    return json.dumps(naive_notebook())
