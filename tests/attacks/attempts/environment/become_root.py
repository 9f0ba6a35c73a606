"""Becomes root, and reads what only root may.

ids: E11
wants: escape
arms: full sandbox
because: where the grader is root, it is root
"""
# %% cell
import os

os.setuid(0)
if open("/etc/shadow").read():
    came_through()
