"""Starts processes without end (here: thirty).

ids: D04
wants: escape
"""
# %% first
import os

children = []
for _ in range(30):
    pid = os.fork()
    if pid == 0:
        import time
        time.sleep(0.2)
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
if len(children) == 30:
    came_through()
