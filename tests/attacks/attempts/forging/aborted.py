"""Calls abort.

wants: stop
"""


def softmax(Z, dim=-1):
    import os
    os.abort()
