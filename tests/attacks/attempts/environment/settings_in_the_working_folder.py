"""Leaves a conftest.py in the working folder, for the next student's tests to load.

ids: E10
wants: escape
"""
# %% cell
open("conftest.py", "w").close()
# %% next
import glob

if glob.glob("conftest.py") + glob.glob("../*/conftest.py"):
    came_through()
