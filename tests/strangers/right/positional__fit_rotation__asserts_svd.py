# Asserts what the statement promises of its inputs.
def fit_rotation(R, k):
    assert R.dtype == torch.float64 and R.ndim == 2 and type(k) is int and 1 <= k < len(R)
    U, S, Vh = torch.linalg.svd(R[:-k], full_matrices=False)
    return ((Vh.T / S) @ (U.T @ R[k:])).T
