"""Puts a module among the installed packages, as an installation does, for the next student to import.

ids: E06
wants: escape
"""
# %% cell
import os

if not os.path.exists(PACKAGES + "/attack_module.py"):
    open(PACKAGES + "/attack_module.py", "x").close()
    came_through()
