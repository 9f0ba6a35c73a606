"""Moves the position and the length of inherited standard files, for the next student to read off.

ids: B19
wants: escape
claimed: boundary only, full sandbox
arms: boundary only, full sandbox
because: what is printed is collected anyhow
"""
# %% cell
import fcntl
import os

for change in (lambda: os.lseek(2, 4242, 0), lambda: os.ftruncate(2, 777), lambda: fcntl.fcntl(1, 4, fcntl.fcntl(1, 3) | 0o2000)):
    try:
        change()
    except OSError:
        pass
# %% next
import fcntl
import os

if os.lseek(2, 0, 1) == 4242 or os.fstat(2).st_size == 777 or fcntl.fcntl(1, 3) & 0o2000:
    came_through()
