"""Sends a message that says nothing but true.

ids: C07
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker


def forged(value):
    return struct.pack("<QQ", 4, 0) + b"true"


def softmax(Z, dim=-1):
    worker.encoded = forged
    return Z
