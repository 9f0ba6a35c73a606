"""Reads the command lines of all processes.

wants: secret
"""
# %% cell
import glob

for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        text = open(path).read()
    except OSError:
        continue
    if "SECRET-" in text:
        print(text.split("\0")[-3:])
