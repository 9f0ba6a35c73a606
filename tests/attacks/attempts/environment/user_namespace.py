"""Makes a user namespace, in which it has all rights again.

ids: E11
wants: escape
arms: full sandbox
because: whether it may is up to the machine
"""
# %% cell
import ctypes

if ctypes.CDLL(None).unshare(0x10000000) == 0:
    came_through()
