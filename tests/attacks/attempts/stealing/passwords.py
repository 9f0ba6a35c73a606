"""Reads the users of this machine.

wants: escape
"""
# %% cell
if "root" in open("/etc/passwd").read():
    came_through()
