"""Records the answers to one exercise and sends them again in the next.

ids: C15
wants: marks
exercise: simple_attention
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

true, saved = worker.encoded, []


def replayed(value):
    saved.append(true(value))
    return saved[0] if type(value) is list else saved[-1]


worker.encoded = replayed


def simple_attention(X):
    return X
