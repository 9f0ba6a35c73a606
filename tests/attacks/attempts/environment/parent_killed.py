"""Kills the process that it was forked from.

wants: stop
arms: full sandbox
because: it is the tests' own
"""
# %% cell
import os
import signal

for target in (os.getppid() or -1, -1):
    try:
        os.kill(target, signal.SIGKILL)
    except OSError:
        pass
