"""Takes the shell's names away.

ids: C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

get_ipython().user_ns = {}


def softmax(Z, dim=-1):
    return Z
