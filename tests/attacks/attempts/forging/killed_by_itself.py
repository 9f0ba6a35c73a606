"""Kills its own process.

wants: stop
"""


def softmax(Z, dim=-1):
    import os
    import signal
    os.kill(os.getpid(), signal.SIGKILL)
