"""Returns a number of a hundred thousand bits.

ids: D15
wants: stop
arms: boundary only, full sandbox
because: where nothing is sent nothing is too large
"""


def softmax(Z, dim=-1):
    return 1 << 100000
