"""Matches a regular expression that takes for ever inside one call of C code.

ids: D01
wants: stop
"""
import re


def softmax(Z, dim=-1):
    return re.match("(a+)+$", "a" * 40 + "b")
