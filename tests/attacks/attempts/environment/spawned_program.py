"""Starts a program with posix_spawn.

ids: E04
wants: escape
"""
# %% cell
import os

pid = os.posix_spawn("/bin/true", ["true"], {})
if os.waitpid(pid, 0)[1] == 0:
    came_through()
