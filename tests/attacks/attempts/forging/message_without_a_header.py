"""Sends empty messages.

ids: C10
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

worker.wire.encode = lambda value: b''


def softmax(Z, dim=-1):
    return Z
