"""Writes into the kit's own code.

ids: E07
wants: escape
"""
# %% cell
open(KIT + "/attack.py", "x").close()
came_through()
