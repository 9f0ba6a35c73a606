"""Raises its own limits.

ids: D07
wants: escape
arms: full sandbox
because: where there is no limit there is nothing to raise
"""
# %% cell
import resource

for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
    try:
        resource.setrlimit(kind, (-1, -1))
        came_through()
    except (OSError, ValueError):
        pass
