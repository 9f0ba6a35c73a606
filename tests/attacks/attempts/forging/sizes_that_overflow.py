"""Sends sizes whose sum is beyond 64 bits.

ids: C11
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker


def forged(value):
    return struct.pack("<QQ", 2 ** 64 - 1, 17)


def softmax(Z, dim=-1):
    worker.encoded = forged
    return Z
