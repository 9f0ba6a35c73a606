"""Replaces an answer by a tensor and a word.

ids: C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

worker.operations.perform = lambda function, operation, *more: (torch.ones(2), 'x')


def softmax(Z, dim=-1):
    return Z
