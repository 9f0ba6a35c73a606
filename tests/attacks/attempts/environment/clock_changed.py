"""Changes the machine's clock.

ids: E17
wants: escape
arms: full sandbox
because: it is this machine's
"""
# %% cell
import time

time.clock_settime(time.CLOCK_REALTIME, time.time())
came_through()
