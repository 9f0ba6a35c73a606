"""Gets the forbidden function by its name in a string.

ids: A24
wants: flag
"""


def softmax(Z, dim=-1):
    return getattr(torch, "softmax")(Z, dim)
