"""Runs a program.

ids: E04
wants: escape
"""
# %% cell
import subprocess

if subprocess.run(["/bin/sh", "-c", "true"]).returncode == 0:
    came_through()
