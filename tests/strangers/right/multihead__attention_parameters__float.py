# Forgiven: values decide, not types.
import torch


def attention_parameters(D, H, bias=True):
    """The number of parameters of multi-head attention on D features with H heads of width D/H."""
    if D % H != 0:
        raise ValueError(f"{H} heads do not divide {D} features")
    width = D / H
    queries_keys_values = 3 * H * D * width
    output = H * width * D
    biases = 4 * D if bias else 0
    return queries_keys_values + output + biases
