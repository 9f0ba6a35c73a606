"""Ends the process in a cell of its own, politely.

ids: C03
wants: stop
"""
# %% first
import os

os._exit(1)
