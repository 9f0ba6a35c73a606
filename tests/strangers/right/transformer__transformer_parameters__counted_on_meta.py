# Unusual but right: counts the two-dimensional parameters of a layer on the meta device, which costs no memory even at D = 12288.
import torch.nn as nn


def transformer_parameters(D, n_layers):
    """The number of weights in the matrices of a stack of transformer layers."""
    layer = nn.ModuleDict({
        "attention": nn.MultiheadAttention(D, 1, device="meta"),
        "widen": nn.Linear(D, 4 * D, device="meta"),
        "narrow": nn.Linear(4 * D, D, device="meta"),
    })
    matrices = {name: p.numel() for name, p in layer.named_parameters() if p.ndim == 2}
    return n_layers * sum(matrices.values())
