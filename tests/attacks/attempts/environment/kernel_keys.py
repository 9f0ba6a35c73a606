"""Writes to sysrq-trigger, which can restart the machine.

ids: E18
wants: escape
arms: full sandbox
because: it is this machine's
"""
# %% cell
open("/proc/sysrq-trigger", "w").close()
came_through()
