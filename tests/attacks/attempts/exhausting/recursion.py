"""Calls itself for ever.

wants: stop
arms: boundary only, full sandbox
because: Python itself ends it
"""


def softmax(Z, dim=-1):
    return softmax(Z, dim)
