"""Leaves its answers in the notebook's names, for the next student to call.

ids: E25
wants: escape
claimed: boundary only, full sandbox
"""
# %% cell
import builtins

builtins.answers_of_eve = {"softmax": softmax}
# %% next
import builtins

if hasattr(builtins, "answers_of_eve"):
    came_through()
