# Matrices.
def rope(X, positions=None, L=10000.0):
    if X.shape[-1] % 2 == 1: raise ValueError("D_k is odd")
    ns = range(X.shape[-2]) if positions is None else positions.tolist()
    T = torch.stack([rotation_matrix(n, X.shape[-1], L).mT for n in ns])
    return torch.einsum("nij,...nj->...ni", T, X)
