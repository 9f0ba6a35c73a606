"""Writes a .pth file among the installed packages, which runs when any Python starts.

ids: E07
wants: escape
"""
# %% cell
for name in ("attack.pth", "sitecustomize.py"):
    open(f"{PACKAGES}/{name}", "x").close()
    came_through()
