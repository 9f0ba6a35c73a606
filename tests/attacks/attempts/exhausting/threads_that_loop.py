"""Leaves threads running that use all processors.

ids: D05
wants: escape
claimed: boundary only, full sandbox
"""
# %% cell
import threading
import time


def spin():
    while not stop:
        open(TARGET + "/spinning", "w").close()
        time.sleep(0.01)


stop = False
threading.Thread(target=spin, daemon=True).start()
time.sleep(0.05)
# %% next
import os
import time

if os.path.exists(TARGET + "/spinning"):
    os.remove(TARGET + "/spinning")
time.sleep(0.2)
if os.path.exists(TARGET + "/spinning"):
    came_through()
