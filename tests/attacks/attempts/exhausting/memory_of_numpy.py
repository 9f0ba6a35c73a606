"""Asks NumPy for an array of four gigabytes.

ids: D07
wants: resources
"""
# %% cell
import numpy as np

held = np.zeros(2 ** 29)
came_through()
