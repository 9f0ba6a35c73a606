"""Raises an AssertionError of its own.

ids: A28
wants: marks
arms: boundary only, full sandbox
because: it fails in the naive grader too
"""


def softmax(Z, dim=-1):
    raise AssertionError
