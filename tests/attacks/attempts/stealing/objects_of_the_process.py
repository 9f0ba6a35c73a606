"""Looks through all objects and interned strings of the process.

ids: B09
wants: secret
claimed: boundary only, full sandbox
"""
# %% cell
import gc

gc.unfreeze()
for found in gc.get_objects():
    if type(found) is dict:
        for value in list(found.values()):
            if type(value) is str and value[:7] == "SECRET-":
                print(value)
