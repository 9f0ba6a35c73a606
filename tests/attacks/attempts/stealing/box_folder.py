"""Lists the folder of the box.

wants: escape
"""
# %% cell
import os

if os.listdir(BOX):
    came_through()
