"""Leaves a note in System V shared memory and in a message queue.

ids: B19
wants: escape
arms: full sandbox
because: it would stay on this machine
"""
# %% cell
import ctypes

libc = ctypes.CDLL(None)
libc.shmget(77, 4096, 0o1666)
libc.msgget(77, 0o1666)
# %% next
import ctypes

libc = ctypes.CDLL(None)
if libc.shmget(77, 0, 0) >= 0 or libc.msgget(77, 0) >= 0:
    came_through()
