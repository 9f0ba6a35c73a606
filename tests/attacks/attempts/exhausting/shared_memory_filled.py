"""Fills the memory that processes share as files (here: eighty megabytes).

ids: D09
wants: resources
arms: full sandbox
because: it would stay in this machine's memory
"""
# %% cell
with open("/dev/shm/big", "wb") as file:
    for _ in range(80):
        file.write(bytes(2 ** 20))
came_through()
