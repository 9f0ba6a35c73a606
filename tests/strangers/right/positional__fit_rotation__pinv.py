# Pinv.
def fit_rotation(R, k):
    return (torch.linalg.pinv(R[:-k]) @ R[k:]).T
