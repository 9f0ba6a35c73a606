"""The lesson of an assignment: the script that a new one starts with, and the slots of exercises in it."""

from __future__ import annotations

from pathlib import Path

from autograder.templates import TODO


def slot(name: str) -> str:
    """An exercise's place in the lesson: prose, and the line that the build turns into the answer's cell and the check's."""
    return (f"# %% [markdown]\n# ## {TODO}: a heading for {name}\n#\n"
            f"# {TODO}: what `{name}` computes (the formula), one example by hand, and what goes wrong easily.\n"
            f'\n# %% exercise="{name}"\n')


def lesson(assignment: str) -> str:
    """The script of a new assignment."""
    return _LESSON.replace("ASSIGNMENT", assignment)


def add_slot(script: Path, name: str) -> int:
    """Put the slot before what closes the lesson (the written question, or "Handing in"), else at its end; returns the line."""
    lines = script.read_text(encoding="utf-8").splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if line.startswith("# %%")]
    at = len(lines)
    for start, end in zip(reversed(starts), [len(lines), *reversed(starts)]):
        handing_in = any("# ## Handing in" in line for line in lines[start:end])
        closes = "[markdown]" in lines[start] and ("question=" in lines[start] or handing_in)
        if not closes:
            break
        at = start
    gap = "\n" if at and lines[at - 1].strip() else ""
    before = "".join(lines[:at]) + gap
    added = slot(name) + ("\n" if at < len(lines) else "")
    script.write_text(before + added + "".join(lines[at:]), encoding="utf-8")
    return (before + added).rstrip("\n").count("\n") + 1


_LESSON = '''# %% [markdown]
# # TODO: the title of ASSIGNMENT
#
# TODO: what it is about and why, in a few sentences. **What you need**: TODO. **Time**: TODO.
#
# Each exercise is one cell with a function or class to fill in. Under it stands a cell that calls `check`: run it as often as you
# like. Those are the *public* checks; *hidden* ones run only in grading.

# %% given=true
import math

import torch
import torch.nn as nn

from autograder import check, figures, fill_parameters

# %% [markdown] question="TODO-in-your-own-words" points=2
# ### In your own words
#
# TODO: a question that a person grades, or take this cell out.

# %% [markdown]
# ## Handing in
#
# Restart the kernel and run all cells from the top. Save, and hand in this one file, `ASSIGNMENT.ipynb`, under this name.
'''
