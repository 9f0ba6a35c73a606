"""What the attacks have in common: the token nobody may see, and what came of an attack."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.grader import Grader, Outcome
from autograder.notebook import parse_submission
from autograder.results import ExerciseResult, SubmissionResult
from autograder.submissions import Found

ROOT = Path(__file__).parents[2]
TOKEN = secrets.token_hex(16)  # lies in the grader's memory, environment and course folder; no student may come to see it
TRY = """
def _attempt():
    {body}
try:
    print('READ', repr(_attempt())[:3000])
except BaseException as error:
    print('REFUSED', type(error).__name__)
"""
QUICK = {"check_seconds": 0.5, "cell_seconds": 0.7}


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


def code_cell(source: str, number: int, cell_type: str = "code") -> dict[str, Any]:
    """A cell of the student's own."""
    cell = {"cell_type": cell_type, "id": f"mine-{number}", "metadata": {}, "source": source}
    return cell | ({"outputs": [], "execution_count": None} if cell_type == "code" else {})


def graded(grader: Grader, data: bytes) -> Outcome:
    """Grade the bytes of one notebook."""
    return grader.grade("eve", Found(Path("attention.ipynb"), parse_submission(data)))
