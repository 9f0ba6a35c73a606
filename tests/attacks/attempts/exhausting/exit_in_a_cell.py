"""Raises SystemExit in a cell of its own.

ids: C03
wants: stop
"""
# %% first
raise SystemExit(1)
