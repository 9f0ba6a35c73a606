"""Replaces what the running of a cell gives by values of odd types.

ids: C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

ODD = [None, [], {"error": 1, "outputs": 2}, {"error": ("a",), "outputs": [1, {}, {"kind": 1, "text": 2}]}, {"outputs": {}}]
worker.shell.run_cell = lambda source: ODD[len(source) % 5]


def softmax(Z, dim=-1):
    return Z
