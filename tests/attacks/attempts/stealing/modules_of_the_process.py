"""Looks through the modules that are loaded.

ids: B10
wants: secret
claimed: boundary only, full sandbox
"""
# %% cell
import sys

for module in list(sys.modules.values()):
    for value in list(getattr(module, "__dict__", {}).values()):
        if type(value) is str and value[:7] == "SECRET-":
            print(value)
