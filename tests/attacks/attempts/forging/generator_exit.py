"""Raises GeneratorExit, which is no Exception.

ids: A28
wants: stop
"""


def softmax(Z, dim=-1):
    raise GeneratorExit
