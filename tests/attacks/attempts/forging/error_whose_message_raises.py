"""Raises an error whose message ends the process.

ids: C03 C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

class Error(Exception):
    def __str__(self):
        raise SystemExit


def softmax(Z, dim=-1):
    raise Error()
