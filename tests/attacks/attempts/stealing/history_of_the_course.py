"""Reads the course's git history.

ids: B13
wants: secret
"""
# %% cell
import os
import subprocess

try:
    print(subprocess.run(["git", "-C", COURSE, "log", "-p"], capture_output=True, timeout=5).stdout[:2000])
except Exception:
    pass
for name in os.listdir(COURSE + "/.git"):
    print(open(f"{COURSE}/.git/{name}").read())
