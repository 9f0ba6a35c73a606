# Unusual but right: a table of functions with type checks; erfc in place of 1 + erf, and the tanh form as x times a sigmoid of 2u.
import math

import torch


def _exact(X):
    return 0.5 * X * torch.special.erfc(-X * math.sqrt(0.5))


def _tanh(X):
    # (1 + tanh u) / 2 is the logistic function of 2u
    return X * torch.special.expit(math.sqrt(8 / math.pi) * X * (1 + 0.044715 * X.square()))


_FORMS = {"none": _exact, "tanh": _tanh}


def gelu(X, approximate="none"):
    """GELU of each entry of X."""
    if not isinstance(X, torch.Tensor):
        raise TypeError("X must be a tensor")
    if approximate not in _FORMS:
        raise ValueError(f"approximate must be one of {sorted(_FORMS)}, not {approximate!r}")
    return _FORMS[approximate](X)
