"""Answers with an error whose parts are all of the wrong type.

ids: C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

worker.operations.perform = lambda function, operation, *more: ('raised', 1, 2, 3, 4)


def softmax(Z, dim=-1):
    return Z
