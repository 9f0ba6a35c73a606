"""Raises KeyboardInterrupt, as if the TA had stopped the batch.

ids: A28
wants: stop
"""


def softmax(Z, dim=-1):
    raise KeyboardInterrupt
