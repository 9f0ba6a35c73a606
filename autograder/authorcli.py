"""``autograder new exercise | new assignment | where``: the author's side of the command line."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape
from rich.text import Text

from autograder.completion import assignment_names, exercise_names
from autograder.templates import TODO
from autograder.terminal import console

new = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Start an exercise or an assignment of your own (for instructors).\n\n"
                  "Example: autograder new exercise layernorm rms_norm --signature \"X, gamma, eps=1e-5\"")


@new.command()
def exercise(assignment: Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="Its name, as in course.yaml.",
                                                       autocompletion=assignment_names)],
             name: Annotated[str, typer.Argument(metavar="NAME", help="The function or class that students write.")],
             signature: Annotated[str, typer.Option("--signature", metavar="TEXT", help="Its parameters; for a class the constructor's "
                                                    "[default: X, for a class D].")] = "",
             is_class: Annotated[bool, typer.Option("--class", help="Students write a torch module instead of a function.")] = False) -> None:
    """Write the two files of a new exercise and its slot in the lesson: a small start that builds, with TODO where you go on.

    Example: autograder new exercise layernorm rms_norm --signature "X, gamma, eps=1e-5"
    """
    from autograder.course import course_here
    from autograder.newexercise import new_exercise
    root, course = course_here()
    _say(new_exercise(root, course, assignment, name, signature=signature or ("D" if is_class else "X"), is_class=is_class))


@new.command()
def assignment(name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits and _.")]) -> None:
    """Write the start of a new assignment: lesson, folder, entry in course.yaml.

    Example: autograder new assignment normalising
    """
    from autograder.course import course_here
    from autograder.newexercise import new_assignment
    root, _ = course_here()
    _say(new_assignment(root, name))


def _say(written) -> None:
    out = console()
    for path in written.paths:
        out.print(f"wrote {escape(path)}")
    out.print(f"Replace whatever is marked {TODO}. Next:")
    for command in written.next:
        out.print(f"  {escape(command)}")


def where(name: Annotated[str, typer.Argument(metavar="NAME", help="An exercise, a check or an assignment.",
                                              autocompletion=exercise_names)]) -> None:
    """Show every place in which an exercise, a check or an assignment is written, built or tested (for instructors and developers).

    Example: autograder where softmax
    """
    from autograder.course import course_here
    from autograder.where import places_of
    root, _ = course_here()
    out = console()
    for heading, places in places_of(root, name):
        out.print(Text(heading, "bold"))
        width = max(len(place.what) for place in places)
        for place in places:
            out.print(Text(f"  {place.what:<{width}}  {place.at}"))
