"""Asks for handles of files, which are valid outside of its mounts.

wants: escape
arms: full sandbox
because: it needs rights that a grader seldom has
"""
# %% cell
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(304, -100, 0, 0) >= 0 or ctypes.get_errno() not in (1, 38):
    came_through()
