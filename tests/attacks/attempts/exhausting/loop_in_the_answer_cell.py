"""Loops in the cell that should define the answer.

ids: D24
wants: stop
"""
while True:
    pass


def softmax(Z, dim=-1):
    return Z
