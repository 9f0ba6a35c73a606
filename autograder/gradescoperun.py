"""What runs at Gradescope: grade the one submission, and write results.json as Gradescope reads it.

Students read all of it but what is printed: what only staff may read (paths, errors of the autograder) is printed.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any, Iterator

from autograder.box import Box, BoxError
from autograder.course import read_course
from autograder.grader import Grader, make_grader
from autograder.panel import failure_lines
from autograder.places import CourseError
from autograder.results import CheckResult, ExerciseResult, SubmissionResult
from autograder.submissions import Handed, find_notebook

_OOM = Path("/proc/self/oom_score_adj")


def main(arguments: list[str]) -> int:
    """``prepare SOURCE`` draws the deck; ``grade SOURCE SUBMISSION RESULTS`` grades. Exit status 0 when results are written."""
    if arguments[0] == "prepare":
        _grader(Path(arguments[1]), least="none").close()
        return 0
    source, submission, results = map(Path, arguments[1:4])
    document = graded(source, submission)
    temporary = results.with_name(f"{results.name}.new")
    temporary.write_text(json.dumps(document, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")
    temporary.replace(results)
    return 0


def graded(source: Path, submission: Path) -> dict[str, Any]:
    """The document for the submission in a folder, or one that says why it was not graded. Never raises for what may happen there."""
    started = time.monotonic()
    try:
        settings = json.loads((source / "settings.json").read_text(encoding="utf-8"))
        grader = _grader(source, least=settings["least"])
        try:
            found = find_notebook(Handed("submission", settings["assignment"], submission))
            result = grader.grade("submission", found).result
            return document_of(result, grader.box, hidden=settings["hidden"], seconds=time.monotonic() - started)
        finally:
            grader.close()
    except BoxError as error:
        print(f"not graded: {error}")
        return not_graded(
            "the machine here does not keep submissions apart as well as the course asks for", seconds=time.monotonic() - started
        )
    except Exception as error:  # noqa: BLE001 - a document with a reason, whatever it was
        print(f"not graded: {error}" if isinstance(error, CourseError) else traceback.format_exc())
        return not_graded(f"the autograder failed ({type(error).__name__})", seconds=time.monotonic() - started)


def _grader(source: Path, *, least: str) -> Grader:
    course = read_course(source / "course" / "course.yaml")
    with _killed_first():
        return make_grader(course, source / "course", course.assignments[0].name, least=least)


@contextlib.contextmanager
def _killed_first() -> Iterator[None]:
    """Let the processes that are started in here be ended before this one where the container's memory runs out."""
    try:
        before = _OOM.read_text()
        _OOM.write_text("900")
    except OSError:
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            _OOM.write_text(before)


def document_of(result: SubmissionResult, box: Box, *, hidden: str, seconds: float) -> dict[str, Any]:
    """The document of a graded submission: one test a check; its total is the score that `autograder grade` gives.

    Of hidden checks students are told the title, whether it holds, and the hint; no input, and no value of theirs.
    """
    tests = [_test(f"{place}.{number}", exercise, check, hidden) for place, exercise in enumerate(result.exercises, 1)
             for number, check in enumerate(exercise.checks, 1)]
    return {
        "score": result.score,
        "execution_time": round(seconds, 3),
        "output": _output(result, box),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {
            "graded": True,
            "isolation": box.level,
            "missing": box.missing,
            "canaries": box.canaries,
            "outcome": result.outcome,
            "kit_version": _version(),
        },
    }


def not_graded(why: str, *, seconds: float) -> dict[str, Any]:
    """The document where nothing could be graded."""
    output = f"This submission was not graded: {why}. This is not your fault; tell the course's staff."
    return {
        "score": 0,
        "execution_time": round(seconds, 3),
        "output": output,
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": [],
        "extra_data": {"graded": False, "kit_version": _version()},
    }


def _version() -> str:
    from autograder import __version__
    return __version__


def _test(number: str, exercise: ExerciseResult, check: CheckResult, hidden: str) -> dict[str, Any]:
    public = check.visibility == "public"
    return {
        "name": f"{exercise.name}: {check.title}" + ("" if public else " (hidden check)"),
        "number": number,
        "score": check.points,
        "max_score": check.max_points,
        "status": "passed" if check.outcome == "correct" else "failed",
        "output": _told(check),
        "output_format": "text",
        "tags": [exercise.name, check.visibility],
        "visibility": "visible" if public else hidden,
        "extra_data": {"outcome": check.outcome},
    }


def _told(check: CheckResult) -> str:
    if check.outcome == "correct":
        return "It holds."
    if check.visibility == "public":
        return "\n".join(failure_lines(check))
    lines = [_HIDDEN[check.outcome]] + ([f"hint: {check.hint}"] if check.hint and check.outcome in ("wrong", "raised", "limit") else [])
    return "\n".join(lines)


_HIDDEN = {
    "wrong": "It does not hold.",
    "raised": "An exception was raised.",
    "limit": "It ran over a limit of time or memory.",
    "not_attempted": "Not attempted.",
    "unreadable": "The notebook could not be read.",
    "grader_fault": "The grader failed; this is not your fault.",
}


def _output(result: SubmissionResult, box: Box) -> str:
    lines = [f"{result.score:g} of {result.max_score:g} points by machine: {result.reason}."]
    lines += [f"Note: {remark}" for exercise in result.exercises for remark in exercise.remarks]
    lines += [f"Note: {remark}" for remark in result.remarks]
    lines += [
        f"The answer {written.name} ({written.max_score:g} points) is graded by a person and is not counted here."
        for written in result.written
    ]
    return "\n".join([*lines, f"Graded by version {_version()} of the kit, {box.sentence}."])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
