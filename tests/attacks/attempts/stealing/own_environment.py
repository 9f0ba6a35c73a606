"""Reads the environment that it was started with.

ids: B06
wants: secret
claimed: boundary only, full sandbox
"""
# %% cell
import os

print(dict(os.environ))
print(open("/proc/self/environ").read())
