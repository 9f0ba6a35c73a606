# Centering matrix.
def layer_norm(X, gamma, beta, eps=1e-5):
    D = X.shape[-1]
    C = torch.eye(D, dtype=X.dtype) - torch.full((D, D), 1 / D, dtype=X.dtype)
    Z = X @ C
    s = torch.einsum("...i,...i->...", Z, Z)[..., None] / D
    return (Z / (s + eps).sqrt()) @ torch.diag(gamma) + beta
