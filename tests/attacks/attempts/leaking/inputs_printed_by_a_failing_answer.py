"""A failing answer prints, logs and warns of its input, on every stream that there is.

ids: B20
wants: inputs
"""
import logging
import sys
import warnings


def softmax(Z, dim=-1):
    print(Z.tolist(), flush=True)
    print(Z.tolist(), file=sys.__stderr__)
    warnings.warn(repr(Z.tolist()))
    logging.warning(Z.tolist())
    return Z
