"""Writes to the system's folders.

ids: E07
wants: escape
arms: full sandbox
because: they are this machine's
"""
# %% cell
for folder in ("/", "/usr", "/usr/bin", "/dev", "/lib", "/kit", "/kit/autograder"):
    try:
        open(folder + "/attack", "x").close()
        came_through()
    except OSError:
        pass
