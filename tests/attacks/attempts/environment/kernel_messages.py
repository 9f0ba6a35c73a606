"""Reads the kernel's messages.

ids: E16
wants: escape
arms: full sandbox
because: whether it may is up to the machine
"""
# %% cell
import ctypes

if ctypes.CDLL(None).klogctl(10, None, 0) > 0:
    came_through()
open("/dev/kmsg").close()
came_through()
