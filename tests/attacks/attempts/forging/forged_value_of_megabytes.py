"""Sends a small message that is a huge value to print.

ids: D29 C17
wants: stop
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
from autograder.untrusted import wire, worker

x = 0
for _ in range(6):
    x = [x] * 4
BIG = wire.encode([("value", x)])
worker.encoded = lambda value: BIG if type(value) is list and len(value) == 1 else wire.encode([("value", 0)] * len(value))


def softmax(Z, dim=-1):
    return Z
