# The tokens go through ALL layers before the last layer's attention is asked, so it acts on its own output.
# Breaks: "tokens as the *previous* layer left them, and after a LayerNorm."
import torch


def class_token_attention(model, images):
    """How much attention the class token pays to each patch in the last layer."""
    X = model.tokens(images)
    for layer in model.layers:
        X = layer(X)
    Z = layer.norm1(X)
    _, weights = layer.attention(Z, Z, Z)
    return weights[:, 0, 1:]
