"""Returns one number expanded to a trillion.

ids: D15
wants: stop
arms: boundary only, full sandbox
because: torch itself refuses to compare it
"""


def softmax(Z, dim=-1):
    return torch.zeros(1).expand(2 ** 40)
