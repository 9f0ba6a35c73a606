"""Answers with an empty list.

ids: C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

worker.operations.perform = lambda function, operation, *more: ('value', [])


def softmax(Z, dim=-1):
    return Z
