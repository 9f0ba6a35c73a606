"""Takes an open file out of another process with pidfd_open and pidfd_getfd.

wants: escape
arms: full sandbox
because: whether one process may do this to another is up to the machine
"""
# %% cell
import ctypes

if ctypes.CDLL(None).syscall(434, PID, 0) >= 0:
    came_through()
