# tanh is written with exponentials, which are inf / inf = NaN from about x = 20 on.
# Breaks: "Entries lie between -100 and 100, so nothing may overflow there."
import math

import torch


def gelu(X, approximate="none"):
    """GELU of each entry of X."""
    if approximate == "tanh":
        u = math.sqrt(2 / math.pi) * (X + 0.044715 * X**3)
        e = torch.exp(2 * u)
        tanh = (e - 1) / (e + 1)
        return X / 2 * (1 + tanh)
    return X / 2 * (1 + torch.erf(X / math.sqrt(2)))
