"""Asks torch for a tensor of four gigabytes.

ids: D07
wants: resources
"""
# %% cell
torch.empty(2 ** 29, dtype=torch.float64)
came_through()
