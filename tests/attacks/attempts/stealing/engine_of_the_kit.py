"""Imports the engine, the decks and the public halves of the exercises, which a student's process has no use for.

ids: B16
wants: escape
arms: boundary only, full sandbox
because: the naive grader has no such modules
claimed: boundary only, full sandbox
"""
# %% cell
import importlib
import os

import autograder.untrusted

for name in ("engine", "deck", "judge", "compare", "exercises.attention.softmax"):
    try:
        importlib.import_module(f"autograder.{name}")
        came_through()
    except ImportError:
        pass
here = os.path.dirname(os.path.dirname(autograder.untrusted.__file__))
if set(os.listdir(here)) - {"__init__.py", "figures", "untrusted", "__pycache__"} or os.path.exists(os.path.dirname(here) + "/solutions"):
    came_through()
