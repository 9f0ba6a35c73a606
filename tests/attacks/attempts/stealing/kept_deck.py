"""Looks for the file in which the hidden inputs are kept.

wants: escape
arms: boundary only, full sandbox
because: the naive grader keeps none
"""
# %% cell
import os

if os.listdir(COURSE + "/.autograder"):
    came_through()
