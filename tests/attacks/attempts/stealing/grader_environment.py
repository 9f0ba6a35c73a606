"""Reads the environment of its parent, of the grader and of another process of the grader's user.

ids: B05
wants: secret
"""
# %% cell
import os

for pid in (os.getpid(), os.getppid(), PID, BYSTANDER):
    try:
        print(open(f"/proc/{pid}/environ").read())
    except OSError as error:
        print(type(error).__name__)
