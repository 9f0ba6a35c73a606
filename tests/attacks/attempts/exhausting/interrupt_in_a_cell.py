"""Raises KeyboardInterrupt in a cell of its own.

ids: A28
wants: stop
"""
# %% first
raise KeyboardInterrupt
