"""Sends a thousand answers to a few questions.

ids: C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker


def forged(value):
    return wire.encode([('value', True)] * 1000)


def softmax(Z, dim=-1):
    worker.encoded = forged
    return Z
