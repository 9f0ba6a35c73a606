"""Sends a tensor whose numbers lie outside of the message.

ids: C11
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

TREE = b'["l",["t","value",["T","float64",[2],1048576]]]'

def forged(value):
    return struct.pack("<QQ", len(TREE), 0) + TREE


def softmax(Z, dim=-1):
    worker.encoded = forged
    return Z
