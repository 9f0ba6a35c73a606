"""Ends the process in a cell of its own.

ids: D19
wants: stop
"""
# %% first
import ctypes

ctypes.string_at(0)
