"""Multi-head attention: splitting and merging heads, Algorithm 12.2, a module, torch's own weights, and what it all costs."""
