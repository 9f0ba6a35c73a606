"""Leaves a note in every place that might be shared, for the next student to find.

ids: B19
wants: escape
"""
# %% cell
import os

for place in ("/tmp", "/dev/shm", "/dev", "/", "/var/tmp", os.getcwd(), os.path.expanduser("~"), TARGET):
    try:
        if place == TARGET or place.startswith("/tmp/") or os.path.ismount(place) and os.getpid() == 1:
            open(place + "/attack-note", "w").write("x")
    except OSError:
        pass
# %% next
import os

for place in ("/tmp", "/dev/shm", "/dev", "/", "/var/tmp", os.getcwd(), os.path.expanduser("~"), TARGET):
    if os.path.exists(place + "/attack-note"):
        came_through()
