"""Returns a list in a list, a thousand deep.

ids: C17
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker


def softmax(Z, dim=-1):
    for _ in range(1000):
        Z = [Z]
    return Z
