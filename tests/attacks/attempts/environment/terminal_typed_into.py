"""Types a command into the TA's terminal.

wants: escape
arms: full sandbox
because: there may be a person at it
"""
# %% cell
import fcntl
import os

fcntl.ioctl(os.open("/dev/tty", os.O_RDWR), 0x5412, b"x")
came_through()
