# Matrix exp.
def rotation_matrix(k, D, L=10000.0):
    if D & 1: raise ValueError("D is odd")
    G = torch.zeros(D, D, dtype=torch.float64)
    for i in range(0, D, 2):
        G[i, i + 1] = L ** (-i / D)
        G[i + 1, i] = -G[i, i + 1]
    return torch.linalg.matrix_exp(k * G)
