"""Raises an error whose message has ten million characters.

ids: D29
wants: stop
"""


def softmax(Z, dim=-1):
    raise ValueError("x" * 10 ** 7)
