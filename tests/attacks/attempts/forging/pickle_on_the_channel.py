"""Writes a pickle to the channel.

ids: C09
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

import pickle


def softmax(Z, dim=-1):
    os.write(3, pickle.dumps(print))
    return Z
