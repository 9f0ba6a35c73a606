"""A failing answer raises an error whose type is called like its input.

ids: B20
wants: inputs
"""


def softmax(Z, dim=-1):
    raise type(repr(Z.tolist()), (Exception,), {})()
