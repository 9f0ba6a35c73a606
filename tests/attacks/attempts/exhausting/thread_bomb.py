"""Starts threads without end (here: a thousand).

ids: D05
wants: resources
arms: in process, full sandbox
because: the limit on threads does not hold for root outside of a box
"""
# %% cell
import threading

threading.stack_size(65536)
stop = threading.Event()
try:
    for _ in range(1000):
        threading.Thread(target=stop.wait, daemon=True).start()
    came_through()
finally:
    stop.set()
