"""Reaches the grader's working folder through /proc.

ids: B05
wants: escape
arms: in process, full sandbox
because: whether one process may look into another is up to the machine
"""
# %% cell
import os

os.listdir(f"/proc/{PID}/cwd/")
came_through()
