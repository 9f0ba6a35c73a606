"""Reads at address 0, which ends the process.

ids: D19
wants: stop
"""


def softmax(Z, dim=-1):
    import ctypes
    ctypes.string_at(0)
