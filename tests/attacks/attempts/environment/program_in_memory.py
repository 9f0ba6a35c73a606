"""Writes a program to a file in memory and runs it.

ids: E20
wants: escape
"""
# %% cell
import os

descriptor = os.memfd_create("program")
with open("/bin/true", "rb") as program:
    os.write(descriptor, program.read())
pid = os.fork()
if pid == 0:
    try:
        os.execv(f"/proc/self/fd/{descriptor}", ["true"])
    finally:
        os._exit(1)
if os.waitpid(pid, 0)[1] == 0:
    came_through()
