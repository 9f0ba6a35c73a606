"""Loops for ever when it is called.

ids: D01
wants: stop
"""


def softmax(Z, dim=-1):
    while True:
        pass
