"""Sends a signal to the grader (here: none that does anything).

wants: escape
"""
# %% cell
import os

os.kill(PID, 0)
came_through()
