"""Mounts a file system.

ids: E11
wants: escape
arms: full sandbox
because: it needs rights that a grader seldom has
"""
# %% cell
import ctypes

if ctypes.CDLL(None).mount(b"x", b"/tmp", b"tmpfs", 0, 0) == 0 or ctypes.CDLL(None).umount2(b"/proc", 2) == 0:
    came_through()
