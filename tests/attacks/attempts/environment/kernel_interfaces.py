"""Calls bpf, perf_event_open, userfaultfd, io_uring and the keyring, where the kernel's faults are found.

ids: E16
wants: escape
arms: full sandbox
because: what they leave behind is this machine's
"""
# %% cell
import ctypes
import platform

column = {"x86_64": 0, "aarch64": 1}[platform.machine()]
libc = ctypes.CDLL(None, use_errno=True)
for numbers in ((321, 280), (298, 241), (323, 282), (425, 425), (250, 219), (248, 217), (310, 270), (304, 265), (135, 92)):
    for first in (0, 1):
        ctypes.set_errno(0)
        if libc.syscall(numbers[column], first, 0, 0, 0, 0) >= 0 or ctypes.get_errno() not in (1, 38):
            came_through()
