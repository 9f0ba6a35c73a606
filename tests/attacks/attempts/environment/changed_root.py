"""Changes the root of its file system.

ids: E11
wants: escape
arms: full sandbox
because: it needs rights that a grader seldom has
"""
# %% cell
import os

os.chroot("/tmp")
came_through()
