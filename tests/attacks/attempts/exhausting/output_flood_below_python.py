"""Writes megabytes to the standard streams' descriptors, past Python's.

ids: D17
wants: stop
"""


def softmax(Z, dim=-1):
    import os
    for stream in (1, 2):
        os.write(stream, b"x" * 500_000)
    return Z
