"""Leaves a start file of IPython in its home, for the next student's notebook to run.

ids: E09
wants: escape
"""
# %% cell
import os

folder = os.path.expanduser("~/.ipython/profile_default/startup")
os.makedirs(folder)
open(folder + "/00-attack.py", "x").close()
# %% next
import glob
import os

home, file = os.path.expanduser("~"), "/.ipython/profile_default/startup/00-attack.py"
if glob.glob(home + file) + glob.glob(home + "/../*" + file):
    came_through()
