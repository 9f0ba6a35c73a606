"""Takes a little less than the limit at every call.

ids: D27
wants: stop
"""


def softmax(Z, dim=-1):
    import time
    time.sleep(0.4)
    return Z
