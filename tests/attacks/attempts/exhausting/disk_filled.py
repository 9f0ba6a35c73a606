"""Writes a file without end (here: eighty megabytes).

ids: D12 D09
wants: resources
"""
# %% cell
with open("big", "wb") as file:
    for _ in range(80):
        file.write(bytes(2 ** 20))
came_through()
