"""Attention: softmax, attention weights, masks and what the softmax does to a gradient."""
