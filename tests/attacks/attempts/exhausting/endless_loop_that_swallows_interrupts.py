"""Loops for ever and swallows whatever interrupts it.

ids: D01 D03
wants: stop
"""


def softmax(Z, dim=-1):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
