"""Writes a program to its own folder and runs it.

ids: E20 E04
wants: escape
"""
# %% cell
import os
import subprocess

with open("program", "w") as program:
    program.write("#!/bin/sh\nexit 0\n")
os.chmod("program", 0o755)
if subprocess.run(["./program"]).returncode == 0:
    came_through()
