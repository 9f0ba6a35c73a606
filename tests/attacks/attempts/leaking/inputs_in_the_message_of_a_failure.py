"""A failing answer raises an error that holds its input.

ids: B20
wants: inputs
"""


def softmax(Z, dim=-1):
    raise ValueError(Z.tolist())
