"""Imports the solutions as a module.

ids: A07 B17
wants: secret
claimed: boundary only, full sandbox
"""
# %% cell
import solutions.attention.softmax

print(solutions.attention.softmax.PLANTED)
