"""Loops while it is loaded, before anything is called.

ids: D24
wants: stop
"""
# %% first
while True:
    pass
