# Unusual but right: builds the four layers on the meta device (no memory) and counts what is there.
import torch
import torch.nn as nn


def attention_parameters(D, H, bias=True):
    """The number of parameters of multi-head attention on D features with H heads of width D/H."""
    width, rest = divmod(D, H)
    if rest:
        raise ValueError(f"H = {H} does not divide D = {D}")
    shapes = [(D, H * width)] * 3 + [(H * width, D)]
    layers = nn.ModuleList(nn.Linear(n_in, n_out, bias=bool(bias), device="meta") for n_in, n_out in shapes)
    return sum(parameter.numel() for parameter in layers.parameters())
