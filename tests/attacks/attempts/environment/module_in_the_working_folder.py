"""Leaves a torch.py in the working folder, for whoever imports torch there.

ids: E10
wants: escape
"""
# %% cell
open("torch.py", "w").close()
# %% next
import glob

if glob.glob("torch.py") + glob.glob("../*/torch.py"):
    came_through()
