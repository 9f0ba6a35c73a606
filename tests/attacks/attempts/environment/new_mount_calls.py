"""Mounts with the newer system calls, which older filters do not know.

ids: E11
wants: escape
arms: full sandbox
because: it needs rights that a grader seldom has
"""
# %% cell
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
for call, arguments in ((430, (b"tmpfs", 0)), (428, (-100, b"/tmp", 1)), (442, (-100, b"/", 0, 0, 0))):
    if libc.syscall(call, *arguments) >= 0:
        came_through()
