"""Prints megabytes at every call.

ids: D17
wants: stop
"""


def softmax(Z, dim=-1):
    print("x" * 10 ** 6)
    return Z
