"""The command line: ``autograder build | check | collect | doctor | export | grade | demo | report``.

Exit status: 0 graded (whatever the score), 1 the doctor found something, 2 usage or configuration, 3 something could not be graded
(still written out), 130 interrupted.
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.markup import escape

from autograder import __version__
from autograder.authorcli import new, where
from autograder.completion import assignment_names, exercise_names, student_names
from autograder.deskcli import progress, watch_and_check
from autograder.exportcli import export
from autograder.formgrader import formgrader
from autograder.imports import without_collections
from autograder.places import CourseError, assignments
from autograder.reportcli import report
from autograder.terminal import console

app = typer.Typer(no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False, rich_markup_mode=None,
                  context_settings={"max_content_width": 120},
                  help="An auto-graded homework kit about transformers.\n\nExample: autograder check attention.ipynb")
out, err = console(), console(stderr=True)

Names = Annotated[Optional[list[str]], typer.Argument(metavar="[ASSIGNMENT]...", help="All of them by default.",
                                                      autocompletion=assignment_names)]
Name = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="Its name, as in course.yaml.", autocompletion=assignment_names)]
Json = Annotated[Optional[Path], typer.Option("--json", metavar="PATH", help="Write the results document there ('-' for standard output).")]
Least = Annotated[Optional[str], typer.Option("--least-isolation", metavar="LEVEL",
                                              help="Accept this isolation level: isolated, confined, limited or none.")]


def main() -> None:
    """Run the command line; every expected error is one sentence on stderr and exit status 2."""
    try:
        app()
    except CourseError as error:
        err.print(f"[bold red]error:[/] {escape(str(error))}")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _version(show: bool) -> None:
    if show:
        typer.echo(f"autograder {__version__}")
        raise typer.Exit


@app.callback()
def _options(version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False) -> None:
    pass


def _course():
    from autograder.course import course_here
    return course_here()


def _mode(name: str, json: Path | None):
    from autograder.progress import Mode
    if name not in set(Mode):
        raise CourseError(f"--progress {name}: there is no such mode; the modes are {', '.join(Mode)}")
    if name == Mode.LINES and str(json) == "-":
        raise CourseError("--progress lines and --json - both write on standard output; give --json a file")
    return Mode(name)


def _known_level(level: str | None) -> str | None:
    from autograder.box import LEVELS
    if level is not None and level not in LEVELS:
        raise CourseError(f"--least-isolation {level}: there is no such level; the levels are {', '.join(LEVELS)}")
    return level


@app.command()
def build(names: Names = None) -> None:
    """Make the source notebook and the release of assignments (for instructors).

    Example: autograder build attention
    """
    from autograder.build import build as build_one
    root, course = _course()
    for name in names or [assignment.name for assignment in course.assignments]:
        course.assignment(name)
        out.print(f"building {escape(name)} … (a minute or two where checks have changed: small failing inputs are looked for)", style="dim")
        for path in build_one(root, name):
            out.print(f"wrote {escape(str(path))}")


@app.command()
def check(file: Annotated[Path, typer.Argument(metavar="FILE.ipynb", help="The notebook to check.")], json: Json = None,
          watch: Annotated[bool, typer.Option("--watch", help="Check again whenever the file is saved, until Ctrl-C.")] = False,
          least_isolation: Least = None) -> None:
    """Check one notebook: a table, and every failure in full. In the course's folder hidden checks are run too.

    Example: autograder check attention.ipynb --watch
    """
    with without_collections():
        from autograder.checkfile import check_file
        from autograder.report import show_submission
    if not file.is_file():
        raise CourseError(f"{file}: there is no such file")

    def show(results) -> None:
        _write_json(results, json)
        if str(json) != "-":
            show_submission(out, results)
    if watch:
        return watch_and_check(err if str(json) == "-" else out, file, show, least=_known_level(least_isolation))
    results = check_file(file, least=_known_level(least_isolation))
    show(results)
    if any(s.outcome in ("unreadable", "grader_fault") for s in results.submissions):
        raise typer.Exit(3)


@app.command()
def collect(assignment: Name,
            paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Folders, zips, tars or notebooks: what was handed in.")],
            dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False) -> None:
    """Take in what was handed in (folders, exports of Canvas, Moodle, Gradescope) to submitted/; the newest attempt of each student counts.

    Example: autograder collect attention ~/Downloads/submissions.zip
    """
    from autograder.collect import collect as take_in
    from autograder.report import show_collected
    root, course = _course()
    course.assignment(assignment)
    for path in paths:
        if not path.exists():
            raise CourseError(f"{path}: there is no such file or folder")
    collected = take_in(root, assignment, paths, dry_run=dry_run)
    show_collected(out, collected, assignment, dry_run=dry_run)
    if collected.refused:
        raise typer.Exit(3)


@app.command()
def doctor(names: Names = None,
           exercise: Annotated[Optional[list[str]], typer.Option(metavar="NAME", autocompletion=exercise_names,
                                                                      help="Only this exercise (may be repeated); nothing is rehearsed.")] = None,
           machine: Annotated[bool, typer.Option("--machine", help="Look at the machine only.")] = False,
           report: Annotated[Optional[Path], typer.Option(metavar="PATH.html", help="Write the kill matrix there: who catches what.")] = None,
           seeds: Annotated[int, typer.Option(min=3, metavar="N", help="Decks that right answers must pass and misconceptions fail.")] = 10,
           workers: Annotated[Optional[int], typer.Option("--workers", min=1, metavar="N", help="Processes; by default one a core.")] = None) -> None:
    """Prove this machine and the assignments: what is kept apart, what the checks catch, whether all that is built is current.

    Exit status 1 when something is wrong; every finding says what mends it. Example: autograder doctor attention --report doctor.html
    """
    from autograder.doctor import examine_machine
    root, course = _course()
    for name in names or []:
        course.assignment(name)
    found = [] if names else examine_machine(out, course)
    if not machine:
        from autograder.report import examine_with_progress
        chosen = names or [assignment.name for assignment in course.assignments]
        found += examine_with_progress(out, root, course, chosen, only=exercise or [], seeds=seeds, workers=workers, page=report)
    for one in found:
        out.print(f"[bold red]wrong:[/] {escape(one)}")
    if found:
        raise typer.Exit(1)
    if exercise:
        out.print(f"nothing is wrong with {escape(', '.join(exercise))}; nothing was rehearsed, so before the release: autograder doctor")
    else:
        out.print("nothing is wrong")


@app.command()
def grade(assignment: Name,
          student: Annotated[Optional[list[str]], typer.Option("--student", metavar="ID", help="Only this student (may be repeated).",
                                                                      autocompletion=student_names)] = None,
          workers: Annotated[Optional[int], typer.Option("--workers", min=1, metavar="N", help="Processes; by default one a core.")] = None,
          feedback: Annotated[bool, typer.Option("--feedback/--no-feedback", help="Write feedback pages.")] = True,
          force: Annotated[bool, typer.Option("--force", help="Grade again what is graded already.")] = False,
          changed_checks: Annotated[bool, typer.Option("--changed-checks", help="After an edit of checks: grade again only the exercises that it "
                                                                              "touches, and say who changes and why.")] = False,
          scheduler: Annotated[Optional[str], typer.Option(metavar="tcp://HOST:PORT", help="Grade on the workers of this Dask scheduler.")] = None,
          progress: Annotated[str, typer.Option(metavar="MODE", help="bar, lines (one JSON object a line on standard output) or none.")] = "bar",
          quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors; as --progress none.")] = False,
          json: Json = None, least_isolation: Least = None) -> None:
    """Grade every submission of an assignment into nbgrader's gradebook, autograded/ and feedback/.

    What was graded before, from the same bytes by the same kit, stands; a run that was stopped goes on. Example: autograder grade attention
    """
    with without_collections():
        from autograder.batch import default_workers
        from autograder.grading import Wanted, grade_and_show
        from autograder.submissions import handed_in
    mode = _mode("none" if quiet else progress, json)
    root, course = _course()
    course.assignment(assignment)
    if scheduler and workers:
        raise CourseError("--workers counts processes on this machine; leave it out with --scheduler, whose workers are started with: dask worker")
    everybody = handed_in(root, assignment)
    for name in student or ():
        if name not in {one.student for one in everybody}:
            near = difflib.get_close_matches(name, [one.student for one in everybody], n=3)
            raise CourseError(f"--student {name}: nothing of {assignment} was handed in under that name" + (f"; do you mean {' or '.join(near)}?" if near else
                              f"; see the folders in {root / 'submitted'}"))
    handed = [h for h in everybody if not student or h.student in student]
    if not handed:
        raise CourseError(f"no submissions of {assignment} under {root / 'submitted'}; put each at "
                          f"submitted/<student>/{assignment}/{assignment}.ipynb")
    absent = sorted(set(course.assignment(assignment).extensions) - {one.student for one in everybody})
    if absent and mode == "bar":
        err.print(f"note: course.yaml extends the date of {assignment} for {escape(', '.join(absent))}, of whom nothing was handed in")
    wanted = Wanted(workers or default_workers(), _known_level(least_isolation), feedback=feedback, force=force, changed_checks=changed_checks,
                    scheduler=scheduler, mode=mode)
    results = grade_and_show(err if str(json) == "-" else out, root, course, handed, wanted)
    _write_json(results, json)
    if any(s.outcome in ("unreadable", "grader_fault") for s in results.submissions):
        raise typer.Exit(3)


@app.command()
def demo(folder: Annotated[Path, typer.Argument(help="Where to put the demo course.")] = Path("demo")) -> None:
    """Make a class of submissions, right, wrong, broken and hostile, in a course of its own (graded by `make demo`).

    It is made from the notebooks and solutions of the course in whose folder (or below it) this is run.
    Example: autograder demo demo
    """
    from autograder.demo import make_demo
    root, _ = _course()
    count = make_demo(root, folder)
    out.print(f"{count} submissions in {escape(str(folder))}/submitted; grade them there with: autograder grade attention (or {', '.join(assignments()[1:])})")


app.add_typer(new, name="new")
app.add_typer(export, name="export")
for command in (formgrader, progress, report, where):
    app.command()(command)


def _write_json(results, path: Path | None) -> None:
    if path is None:
        return
    text = results.model_dump_json(indent=1, by_alias=True) + "\n"
    if str(path) == "-":
        sys.stdout.write(text)
    else:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
