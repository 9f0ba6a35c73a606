"""Kills its process group, in which the grader may be.

wants: stop
arms: in process, full sandbox
because: without a sandbox it ends the process that hands out workers
"""
# %% first
import os
import signal

os.killpg(0, signal.SIGKILL)
