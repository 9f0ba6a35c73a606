"""Opens the memory of the grader, and of its own parent.

ids: C19
wants: secret
arms: in process, full sandbox
because: whether one process may read another's memory is up to the machine
"""
# %% cell
import os
import re

for pid in (PID, os.getppid()):
    try:
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in open(f"/proc/{pid}/maps"):
                start, stop = (int(x, 16) for x in line.split()[0].split("-"))
                if line.split()[1].startswith("rw") and stop - start < 1 << 28:
                    memory.seek(start)
                    print(set(re.findall(b"SECRET" + b"-[0-9a-f]{32}", memory.read(stop - start))))
    except OSError as error:
        print(type(error).__name__)
