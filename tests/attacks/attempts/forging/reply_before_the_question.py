"""Sends a reply before there is a question.

ids: C07
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

os.write(3, struct.pack("<QQ", 7, 0))


def softmax(Z, dim=-1):
    return Z
