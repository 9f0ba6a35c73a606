"""Replaces a built-in function for the next student.

ids: E25
wants: escape
claimed: boundary only, full sandbox
"""
# %% cell
import builtins

builtins.sorted = lambda value: []
# %% next
if sorted([1]) == []:
    came_through()
