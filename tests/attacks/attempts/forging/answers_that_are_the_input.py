"""Answers every question with its own input.

ids: C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

worker.operations.perform = lambda function, operation, *more: ('value', operation[1][0])


def softmax(Z, dim=-1):
    return Z
