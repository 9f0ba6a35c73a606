"""Sends a signal to the process that it was forked from.

wants: escape
"""
# %% cell
import os

if os.getppid() > 0:
    os.kill(os.getppid(), 0)
    came_through()
