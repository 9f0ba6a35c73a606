"""What the gradebook costs a submission: our statements, beside nbgrader's own objects with one commit and with its own commits.

    python benchmarks/gradebook.py [--submissions 200]          # SQLite, and PostgreSQL where the system has its server

CPU milliseconds of the process that writes (not of PostgreSQL's), a submission; the first ten are left out.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--submissions", type=int, default=200)
    count = options.parse_args().submissions
    from autograder.blueprint import read_blueprint
    blueprint, result = read_blueprint(ROOT, "attention"), one_result()
    print("| gradebook | nbgrader's objects, its own commits | one commit | statements (ours) |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="autograder-bench-") as scratch:
        for name, url in databases(Path(scratch)):
            costs = [median_cost(url(number), way, blueprint, result, count) for number, way in enumerate((as_nbgrader, one_commit, ours))]
            print(f"| {name} | " + " | ".join(f"{cost:.2f}" for cost in costs) + " |")


def databases(scratch: Path):
    yield "SQLite", lambda number: f"sqlite:///{scratch}/{number}.db"
    from postgres import Server, binaries, filled
    if binaries() is None:
        return
    server = Server()
    try:
        yield "PostgreSQL", lambda number: filled(server.database(f"bench_{number}"))
    finally:
        server.remove()


def one_result():
    from autograder.course import read_course
    from autograder.grader import make_grader
    from autograder.notebook import parse_submission
    from autograder.submissions import Found
    grader = make_grader(read_course(ROOT / "course.yaml"), ROOT, "attention", least="none")
    try:
        data = (ROOT / "release/attention/attention.ipynb").read_bytes()
        return grader.grade("student", Found(Path("attention.ipynb"), parse_submission(data))).result
    finally:
        grader.close()


def median_cost(url: str, way, blueprint, result, count: int) -> float:
    """Milliseconds of CPU, the middle of all but the first ten."""
    from autograder.course import read_course
    from autograder.gradebook import ensure_assignment, open_gradebook
    course = read_course(ROOT / "course.yaml").model_copy(update={"db_url": url})
    costs = []
    with open_gradebook(course) as gradebook:
        ensure_assignment(gradebook, blueprint, course)
        write = way(gradebook, blueprint)
        for number in range(count + 10):
            one = result.model_copy(update={"student": f"student-{number:04d}"})
            begun = time.process_time()
            write(one)
            costs.append((time.process_time() - begun) * 1000)
    return statistics.median(costs[10:])


def ours(gradebook, blueprint):
    from autograder.gradebook import record
    return lambda one: record(gradebook, blueprint, one, None, isolation="isolation level none")


def one_commit(gradebook, blueprint, *, often: bool = False):
    """nbgrader's objects: one `Gradebook` kept open and one commit, or one opened and a commit for each cell, as nbgrader's plug-ins do."""
    from autograder.autograded import comments
    from autograder.imports import nbgrader_api
    api = nbgrader_api()
    kept = api.Gradebook(gradebook.course.db_url, gradebook.course.course)

    def write(one) -> None:
        book = api.Gradebook(gradebook.course.db_url, gradebook.course.course) if often else kept
        book.update_or_create_student(one.student)
        submitted = book.update_or_create_submission(blueprint.assignment, one.student)
        notebook = submitted.notebooks[0]
        scores = {f"{exercise.name}-checks": exercise.score for exercise in one.exercises} | {w.name: None for w in one.written}
        said = comments(blueprint, one, "isolation level none")
        for grade in notebook.grades:
            grade.auto_score = scores[grade.cell.name]
            grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
            book.db.commit() if often else None
        for comment in notebook.comments:
            comment.auto_comment = said[comment.cell.name]
            book.db.commit() if often else None
        book.db.commit()
        if often:
            book.close()
    return write


def as_nbgrader(gradebook, blueprint):
    return one_commit(gradebook, blueprint, often=True)


if __name__ == "__main__":
    main()
