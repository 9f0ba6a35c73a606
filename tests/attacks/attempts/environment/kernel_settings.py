"""Writes settings of the kernel.

ids: E17
wants: escape
arms: full sandbox
because: they are this machine's
"""
# %% cell
for name in ("kernel/hostname", "kernel/core_pattern", "vm/overcommit_memory", "kernel/yama/ptrace_scope"):
    try:
        with open(f"/proc/sys/{name}", "r+") as file:
            file.write(file.read())
        came_through()
    except OSError:
        pass
