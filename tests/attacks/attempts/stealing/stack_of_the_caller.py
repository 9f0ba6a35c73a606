"""Inspects the stack: code, names and values of everything that called it.

ids: B11
wants: secret
claimed: boundary only, full sandbox
"""
# %% cell
import inspect
import linecache

for frame in inspect.stack():
    print(frame.filename, frame.code_context)
    for scope in (frame.frame.f_globals, frame.frame.f_locals):
        print([value for value in scope.values() if type(value) is str and value[:7] == "SECRET-"])
