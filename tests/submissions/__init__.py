"""Submissions broken or odd, one of each kind, made by code from the attention release: `odd_ones()`, and `honest()` ones."""
