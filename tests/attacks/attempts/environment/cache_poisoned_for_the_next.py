"""Puts a module of its own in the place of one that the next student imports.

ids: E25
wants: escape
claimed: boundary only, full sandbox
"""
# %% cell
import sys
import types

sys.modules["statistics"] = types.SimpleNamespace(attacked=True)
# %% next
import statistics

if hasattr(statistics, "attacked"):
    came_through()
