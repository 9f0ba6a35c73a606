"""Runs a shell command with IPython's exclamation mark.

ids: E22
wants: escape
"""
# %% cell
!touch {TARGET}/by-shell-line
import os

if os.path.exists(TARGET + "/by-shell-line"):
    came_through()
