"""Reads its own command line.

wants: secret
claimed: boundary only, full sandbox
"""
# %% cell
import sys

print(sys.argv, sys.orig_argv[-3:], open("/proc/self/cmdline").read()[-300:])
