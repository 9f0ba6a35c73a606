# Counts the matrices of torch's own layer but leaves its dim_feedforward at the default 2048, which is 4 D only for D = 512.
# Breaks: "two in the MLP, $D \times 4D$ and $4D \times D$"
import torch
import torch.nn as nn


def transformer_parameters(D, n_layers):
    """The number of weights in the matrices of a stack of transformer layers."""
    layer = nn.TransformerEncoderLayer(D, nhead=1, device="meta")
    matrices = [p for p in layer.parameters() if p.dim() == 2]   # no biases, no LayerNorms
    return n_layers * sum(p.numel() for p in matrices)
