"""Sees which other processes there are.

wants: escape
"""
# %% cell
import os

if any(name.isdigit() and int(name) != os.getpid() for name in os.listdir("/proc")):
    came_through()
