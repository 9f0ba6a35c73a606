"""Leaves a process behind that is still there when the next student is graded.

ids: C05
wants: escape
"""
# %% cell
import os
import time

if os.fork() == 0:
    time.sleep(0.3)
    open(TARGET + "/alive", "w").close()
    os._exit(0)
# %% next
import os
import time

for _ in range(20):
    time.sleep(0.05)
    if os.path.exists(TARGET + "/alive"):
        came_through()
        break
