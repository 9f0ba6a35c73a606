"""Starts a process in a user namespace with clone and with clone3.

ids: E11
wants: escape
arms: full sandbox
because: whether it may is up to the machine
"""
# %% cell
import ctypes
import os
import platform

clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
for call, arguments in ((clone, (0x10000000 | 17, 0, 0, 0, 0)), (435, (b"\0" * 88, 88))):
    pid = ctypes.CDLL(None).syscall(call, *arguments)
    if pid == 0:
        os._exit(0)
    if pid > 0:
        came_through()
