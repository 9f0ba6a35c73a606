"""Answers with a dict of tensors.

ids: C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

worker.operations.perform = lambda function, operation, *more: ('value', {'a': torch.ones(3)})


def softmax(Z, dim=-1):
    return Z
