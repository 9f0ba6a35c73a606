"""Returns a tensor of forty dimensions.

ids: C11
wants: stop
arms: boundary only, full sandbox
because: where nothing is sent nothing is too large
"""


def softmax(Z, dim=-1):
    return torch.zeros([1] * 40)
