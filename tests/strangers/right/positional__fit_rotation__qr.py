# Qr.
def fit_rotation(R, k):
    Q, T = torch.linalg.qr(R[:len(R) - k])
    return torch.linalg.solve_triangular(T, Q.mT @ R[k:], upper=True).mT
