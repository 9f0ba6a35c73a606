"""Returns a list of a million numbers.

ids: D15
wants: stop
arms: boundary only, full sandbox
because: where nothing is sent nothing is too large
"""


def softmax(Z, dim=-1):
    return [0.0] * 10 ** 6
