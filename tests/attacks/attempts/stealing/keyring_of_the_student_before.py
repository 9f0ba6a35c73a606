"""Leaves a note in the kernel's keyring, which no namespace divides.

ids: B19 E16
wants: escape
arms: full sandbox
because: it would stay on this machine
"""
# %% cell
import ctypes

if ctypes.CDLL(None).syscall(250, 0, -3, 0) >= 0 or ctypes.CDLL(None).syscall(248, b"user", b"note", b"x", 1, -3) >= 0:
    came_through()
# %% next
import ctypes

if ctypes.CDLL(None).syscall(250, 10, -3, b"user", b"note", 0) >= 0:
    came_through()
