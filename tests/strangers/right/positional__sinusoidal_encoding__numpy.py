# Numpy.
import numpy as np
def sinusoidal_encoding(N, D, L=10000.0):
    n, i = np.ogrid[:N, :D]
    angle = n / L ** ((i - i % 2) / D)
    return torch.from_numpy(np.where(i % 2, np.cos(angle), np.sin(angle)).astype(np.float64))
