"""Raises an error that was caused by fifty others, each with a long message.

ids: D29
wants: stop
"""


def softmax(Z, dim=-1):
    error = ValueError("a" * 1_000_000)
    for _ in range(50):
        try:
            raise ValueError("b" * 20_000) from error
        except ValueError as raised:
            error = raised
    raise error
