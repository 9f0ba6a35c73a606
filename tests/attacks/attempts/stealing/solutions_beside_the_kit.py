"""Puts the folders around the grader's package on the import path.

ids: A07 B16
wants: secret
"""
# %% cell
import importlib
import sys

sys.path[:0] = [COURSE, COURSE + "/solutions"]
print(importlib.import_module("attention._hidden_tests").PLANTED)
