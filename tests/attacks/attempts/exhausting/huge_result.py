"""Returns more numbers than a message may hold.

ids: D15
wants: stop
arms: boundary only, full sandbox
because: where nothing is sent nothing is too large
"""


def softmax(Z, dim=-1):
    return torch.zeros(2 ** 23, dtype=torch.float64)
