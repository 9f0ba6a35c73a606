"""The demo class: submissions right, wrong, broken and hostile, made from the release by code, the same every time."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from autograder.answers import answer_source, filled_in, reference_answers
from autograder.assignment import with_staff_half
from autograder.places import assignments

WRITTEN = ("Without the root the scores have variance D_k, so for wide keys the softmax is nearly one-hot, its Jacobian nearly zero, "
           "and nothing is learned. Dividing by the root keeps the variance at 1 whatever D_k is.")


@dataclass(frozen=True)
class DemoSubmission:
    """One submission: the student's id, the bytes of the notebook, and what should come of it (an outcome)."""

    student: str
    data: bytes
    outcome: str


def demo_class(root: Path, assignment: str = "attention") -> list[DemoSubmission]:
    """All submissions of the demo class."""
    release = (root / "release" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8")
    answers = reference_answers(root, assignment) | {_question(release): WRITTEN}
    made = [*_right(root, assignment, release, answers), *_wrong(root, assignment, release, answers), *_hostile(release, answers),
            *_broken(release, answers)]
    return [DemoSubmission(f"{number:02d}-{one.student}", one.data, one.outcome) for number, one in enumerate(made, 1)]


def demo_few(root: Path, assignment: str) -> list[DemoSubmission]:
    """A few submissions of any assignment: right in two ways, a mistake in the first exercise and in the last, and the empty release."""
    release = (root / "release" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8")
    answers = reference_answers(root, assignment)
    exercises = with_staff_half(assignment, root)
    made = _right(root, assignment, release, answers)[:2]
    for name in (list(exercises)[0], list(exercises)[-1]):
        mistake = exercises[name].misconceptions[0].name
        source = answer_source(root / "solutions" / assignment / f"{name}.py", mistake, name)
        made.append(_made(f"{name}-{mistake}".replace("_", "-"), "wrong", release, answers | {name: source}))
    made.append(_made("not-attempted", "not_attempted", release, {}))
    return [DemoSubmission(f"{number:02d}-{one.student}", one.data, one.outcome) for number, one in enumerate(made, 1)]


def make_demo(root: Path, folder: Path) -> int:
    """Lay out a course of its own in `folder`: the demo class's attention notebooks, and a few of every other assignment.

    What was there before is replaced. Returns the number of submissions.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("submitted", "autograded", "feedback"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "gradebook.db").unlink(missing_ok=True)
    for name in ("course.yaml", "nbgrader_config.py", "source", "release", "solutions"):
        source, target = root / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    count = 0
    for assignment in assignments():
        for one in demo_class(root) if assignment == "attention" else demo_few(root, assignment):
            place = folder / "submitted" / one.student / assignment
            place.mkdir(parents=True)
            (place / f"{assignment}.ipynb").write_bytes(one.data)
            count += 1
    return count


def _question(release: str) -> str:
    cells = json.loads(release)["cells"]
    return next(cell["id"] for cell in cells if cell["metadata"].get("autograder", {}).get("kind") == "answer")


def _made(name: str, outcome: str, release: str, answers: dict[str, str],
          change: Callable[[dict[str, Any]], None] = lambda notebook: None) -> DemoSubmission:
    return DemoSubmission(name, filled_in(release, answers, change=change).encode(), outcome)


def _right(root: Path, assignment: str, release: str, answers: dict[str, str]) -> list[DemoSubmission]:
    """The reference, and for each round the next alternate of every exercise."""
    made = [_made("reference", "correct", release, answers)]
    exercises = with_staff_half(assignment, root)
    for turn in range(max(len(exercise.alternates) for exercise in exercises.values())):
        other = {name: answer_source(root / "solutions" / assignment / f"{name}.py", exercise.alternates[turn].name, name)
                 for name, exercise in exercises.items() if turn < len(exercise.alternates)}
        made.append(_made(f"another-way-{turn + 1}", "correct", release, answers | other))
    return made


# One wrong answer of every kind that TAs meet most: (exercise, name of the misconception).
_MISTAKES = (("softmax", "one_global_maximum"), ("softmax", "axis_dropped_in_the_sum"), ("simple_attention", "scaled"),
             ("scaled_dot_product_attention", "without_the_scale"), ("scaled_dot_product_attention", "softmax_over_the_queries"),
             ("scaled_dot_product_attention", "mean_for_an_empty_row"), ("scaled_dot_product_attention", "scales_in_place"),
             ("causal_mask", "true_means_blocked"), ("padding_mask", "one_too_many"), ("softmax_jacobian", "diagonal_only"),
             ("attention_entropy", "nan_at_zero"))


def _wrong(root: Path, assignment: str, release: str, answers: dict[str, str]) -> list[DemoSubmission]:
    made = []
    for exercise, mistake in _MISTAKES:
        source = answer_source(root / "solutions" / assignment / f"{exercise}.py", mistake, exercise)
        made.append(_made(mistake.replace("_", "-"), "wrong", release, answers | {exercise: source}))
    return made


def _hostile(release: str, answers: dict[str, str]) -> list[DemoSubmission]:
    head = "def softmax(Z, dim=-1):\n"
    bodies = (("infinite-loop", "limit", head + "    while True:\n        pass\n"),
              ("memory-hog", "limit", head + "    hog = [bytearray(2 ** 30) for _ in range(64)]\n    return Z\n"),
              ("ends-the-process", "limit", head + "    import os\n    os._exit(0)\n"),
              ("raises", "raised", head + "    return Z.softmx(dim)\n"),
              ("exits", "raised", head + "    raise SystemExit(0)\n"),
              ("agrees-with-everything", "wrong", "class Agrees(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, f, t, a=(), k=None):"
               "\n        return True\n\n\n" + head + "    return Z.as_subclass(Agrees)\n"),
              ("patches-allclose", "wrong", "torch.allclose = lambda *a, **k: True\n\n\n" + head + "    return Z\n"),
              ("prints-a-score", "wrong", head + "    print('{\"score\": 100}')\n    return Z\n"))
    return [_made(name, outcome, release, answers | {"softmax": source}) for name, outcome, source in bodies]


def _broken(release: str, answers: dict[str, str]) -> list[DemoSubmission]:
    text = filled_in(release, answers)
    return [
        _made("not-attempted", "not_attempted", release, {}),
        _made("half-done", "not_attempted", release, {name: answers[name] for name in ("softmax", "simple_attention", "causal_mask")}),
        _made("syntax-error", "raised", release, answers | {"softmax": "def softmax(Z, dim=-1)\n    return Z\n"}),
        _made("cell-kills-the-kernel", "correct", release, answers, _with_own_cell("import os\nos._exit(1)")),
        _made("check-cell-deleted", "correct", release, answers, _without("softmax-checks")),
        _made("check-cell-twice", "correct", release, answers, _doubled("softmax-checks")),
        _made("answer-cell-deleted", "not_attempted", release, answers, _without("causal_mask")),
        _made("skip-tags", "not_attempted", release, {}, _tagged("skip-execution")),
        DemoSubmission("not-a-notebook", b"%PDF-1.7 this is my homework", "unreadable"),
        DemoSubmission("truncated", text.encode()[: len(text) // 2], "unreadable"),
        DemoSubmission("byte-order-mark", b"\xef\xbb\xbf" + text.encode(), "correct"),
    ]


def _without(grade_id: str) -> Callable[[dict[str, Any]], None]:
    def change(notebook: dict[str, Any]) -> None:
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != grade_id]
    return change


def _doubled(grade_id: str) -> Callable[[dict[str, Any]], None]:
    def change(notebook: dict[str, Any]) -> None:
        notebook["cells"] += [cell for cell in notebook["cells"] if cell["id"] == grade_id]
    return change


def _tagged(tag: str) -> Callable[[dict[str, Any]], None]:
    def change(notebook: dict[str, Any]) -> None:
        for cell in notebook["cells"]:
            cell["metadata"]["tags"] = [tag]
    return change


def _with_own_cell(source: str) -> Callable[[dict[str, Any]], None]:
    def change(notebook: dict[str, Any]) -> None:
        notebook["cells"].insert(3, {"cell_type": "code", "id": "mine", "metadata": {}, "source": source, "outputs": [],
                                     "execution_count": None})
    return change
