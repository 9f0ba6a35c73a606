"""Asks torch for eight terabytes when it is called.

ids: D07
wants: stop
arms: boundary only, full sandbox
because: torch itself refuses, where the machine has not got them
"""


def softmax(Z, dim=-1):
    return torch.zeros(2 ** 20, 2 ** 20, dtype=torch.float64)
