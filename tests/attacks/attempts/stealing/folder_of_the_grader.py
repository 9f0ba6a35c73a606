"""Reaches the grader's working folder through /proc.

ids: B05
wants: escape
"""
# %% cell
import os

os.listdir(f"/proc/{PID}/cwd/")
came_through()
