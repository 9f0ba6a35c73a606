"""Makes a device file, through which memory or a disk can be read.

ids: E13
wants: escape
arms: full sandbox
because: it needs rights that a grader seldom has
"""
# %% cell
import os

os.mknod("device", 0o660 | 0o020000, os.makedev(1, 1))
came_through()
