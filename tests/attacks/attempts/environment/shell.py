"""Runs a shell command with os.system.

ids: E05
wants: escape
"""
# %% cell
import os

if os.system("true") == 0:
    came_through()
