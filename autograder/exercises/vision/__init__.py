"""A small vision transformer: patches, the model, and three ways to ask it where it looked."""
