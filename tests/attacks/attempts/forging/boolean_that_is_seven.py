"""Sends a tensor of bools whose bytes are neither 0 nor 1.

ids: C11
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

TREE = b'["l",["t","value",["T","bool",[1],0]]] '

def forged(value):
    return struct.pack("<QQ", len(TREE), 16) + TREE + b'7' * 16


def softmax(Z, dim=-1):
    worker.encoded = forged
    return Z
