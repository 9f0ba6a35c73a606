"""Gets the forbidden function by a name that it puts together; nothing but reading the code finds it.

ids: A24
wants: flag
claimed: none
"""


def softmax(Z, dim=-1):
    return getattr(torch, "soft" + "max")(Z, dim)
