"""Starts processes, each of which has a limit of its own.

ids: D10 D04
wants: escape
"""
# %% cell
import os

pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
came_through()
