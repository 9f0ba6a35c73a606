"""Gets the forbidden function by a name that it puts together.

ids: A24
wants: flag
"""


def softmax(Z, dim=-1):
    return getattr(torch, "soft" + "max")(Z, dim)
