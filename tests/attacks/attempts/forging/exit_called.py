"""Calls exit() in the middle of the test.

ids: C03
wants: marks
"""


def softmax(Z, dim=-1):
    import sys
    sys.exit()
