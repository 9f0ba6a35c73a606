"""Starts Python anew, as an installation with pip does.

ids: E06
wants: escape
"""
# %% cell
import os
import subprocess
import sys

python = os.path.realpath(sys.executable or "/usr/bin/python3")
if subprocess.run([python, "-I", "-S", "-c", "pass"], timeout=10).returncode == 0:
    came_through()
