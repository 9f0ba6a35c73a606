"""Replaces its own process by a program.

ids: E04
wants: stop
"""
# %% first
import os

os.execv("/bin/false", ["false"])
