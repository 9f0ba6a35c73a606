"""LayerNorm and the position-wise network: normalisation, its gradient, GELU and the two dense maps around it."""
