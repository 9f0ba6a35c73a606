"""Runs a shell script with the cell magic bash.

ids: E22
wants: escape
"""
# %% cell
get_ipython().run_cell_magic("script", "sh", f"touch {TARGET}/by-magic")
import os

if os.path.exists(TARGET + "/by-magic"):
    came_through()
