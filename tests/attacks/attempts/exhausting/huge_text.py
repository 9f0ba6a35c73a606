"""Returns ten million characters.

ids: D15
wants: stop
arms: boundary only, full sandbox
because: where nothing is sent nothing is too large
"""


def softmax(Z, dim=-1):
    return "x" * 10 ** 7
