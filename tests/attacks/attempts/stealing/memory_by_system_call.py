"""Reads another process with process_vm_readv.

ids: C19
wants: escape
arms: full sandbox
because: whether one process may read another's memory is up to the machine
"""
# %% cell
import ctypes

if ctypes.CDLL(None, use_errno=True).process_vm_readv(PID, 0, 0, 0, 0, 0) == 0:
    came_through()
