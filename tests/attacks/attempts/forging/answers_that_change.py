"""Answers the same question otherwise every time.

ids: C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

calls = [0]


def softmax(Z, dim=-1):
    calls[0] += 1
    return Z * calls[0]
