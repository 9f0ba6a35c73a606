"""Sleeps for days when it is called, without using the processor.

ids: D01
wants: stop
"""


def softmax(Z, dim=-1):
    import time
    time.sleep(1e6)
