"""Keeps memory in a file that is in no folder and counts for no process.

ids: D09 E20
wants: escape
"""
# %% cell
import os

os.memfd_create("hidden")
came_through()
