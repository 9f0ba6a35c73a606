"""Ignores and blocks all signals, then loops.

ids: D03
wants: stop
"""
import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))


def softmax(Z, dim=-1):
    while True:
        pass
