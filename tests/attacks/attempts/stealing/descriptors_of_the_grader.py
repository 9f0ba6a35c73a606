"""Lists the files that the grader has open.

wants: escape
arms: in process, full sandbox
because: whether one process may look into another is up to the machine
"""
# %% cell
import os

if os.listdir(f"/proc/{PID}/fd"):
    came_through()
