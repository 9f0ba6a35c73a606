"""Raises an error whose type raises when its name is asked for.

ids: C15
wants: marks
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
import os
import struct

from autograder.untrusted import wire, worker

class Type(type):
    @property
    def __name__(cls):
        raise KeyboardInterrupt


class Error(Exception, metaclass=Type):
    pass


def softmax(Z, dim=-1):
    raise Error()
