"""Makes small files without end (here: five thousand).

ids: D13
wants: escape
"""
# %% cell
import os

os.mkdir("many")
for number in range(5000):
    os.close(os.open(f"many/{number}", os.O_CREAT | os.O_WRONLY))
came_through()
