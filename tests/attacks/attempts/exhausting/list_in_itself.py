"""Returns a list that holds itself.

ids: C17 D15
wants: stop
arms: boundary only, full sandbox
because: where nothing is sent nothing is too large
"""


def softmax(Z, dim=-1):
    held = []
    held.append(held)
    return held
