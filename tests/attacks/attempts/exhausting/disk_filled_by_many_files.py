"""Fills the disk with files that are each within the limit (here: two of fifty megabytes).

ids: D12
wants: escape
"""
# %% cell
import os

for number in range(2):
    with open(f"big-{number}", "wb") as file:
        for _ in range(50):
            file.write(bytes(2 ** 20))
came_through()
for number in range(2):
    os.remove(f"big-{number}")
