"""Announces a reply of 2**62 bytes.

ids: C11
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker


def softmax(Z, dim=-1):
    os.write(3, struct.pack("<QQ", 1, 2 ** 62))
    return Z
