"""Makes system calls by the numbers of another architecture, which a filter by number alone does not know.

ids: E16
wants: stop
arms: full sandbox
because: it does no harm where there is no filter to pass by
"""
# %% first
import ctypes

ctypes.CDLL(None).syscall(0x40000000 + 41, 2, 1, 0)
