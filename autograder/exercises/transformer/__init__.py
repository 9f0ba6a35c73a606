"""The transformer: layers with and without memory, a whole model, teacher forcing, decoding and counting parameters."""
