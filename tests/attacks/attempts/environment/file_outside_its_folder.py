"""Writes a file outside of its own folder.

wants: escape
"""
# %% cell
open(TARGET + "/written", "x").close()
came_through()
