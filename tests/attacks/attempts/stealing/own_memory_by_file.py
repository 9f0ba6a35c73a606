"""Reads its own memory through /proc/self/mem.

ids: B15
wants: secret
claimed: boundary only, full sandbox
"""
# %% cell
import re

with open("/proc/self/mem", "rb", 0) as memory:
    for line in open("/proc/self/maps"):
        start, stop = (int(x, 16) for x in line.split()[0].split("-"))
        if line.split()[1].startswith("rw") and stop - start < 1 << 28:
            memory.seek(start)
            try:
                print(set(re.findall(b"SECRET" + b"-[0-9a-f]{32}", memory.read(stop - start))))
            except OSError:
                pass
