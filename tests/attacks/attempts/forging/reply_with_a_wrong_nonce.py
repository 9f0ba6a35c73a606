"""Sends a reply to a question that was not asked.

ids: C07
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker


def softmax(Z, dim=-1):
    os.write(3, struct.pack("<QQ", 1, 4) + b"true")
    return Z
